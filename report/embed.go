package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A block stands in a document between two lines of their own,
//
//	<!-- cadence:begin NAME -->
//	<!-- cadence:end -->
//
// outside fenced code. What is between them is generated.
var (
	beginMark = regexp.MustCompile(`^<!-- cadence:begin (\S+) -->$`)
	endMark   = "<!-- cadence:end -->"
)

// Embed writes the named blocks into the documents, each of which changes as a
// whole or not at all, and returns those that changed. A document with a fault (an
// unknown name, a block that is not closed) is left alone, and so are all others.
func Embed(paths []string, blocks map[string]string) (changed []string, err error) {
	texts := make([]string, len(paths))
	for i, path := range paths {
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if texts[i], _, err = splice(path, string(old), blocks); err != nil {
			return nil, err
		}
		if texts[i] == string(old) {
			texts[i] = ""
		}
	}
	for i, path := range paths {
		if texts[i] == "" {
			continue
		}
		if err := replaceFile(path, texts[i]); err != nil {
			return changed, err
		}
		changed = append(changed, path)
	}
	return changed, nil
}

// Check compares the documents with what Embed would write. Its error has one
// line per block that differs: the file, the block and the first differing line.
func Check(paths []string, blocks map[string]string) error {
	var errs []error
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, drifts, err := splice(path, string(text), blocks)
		if err != nil {
			errs = append(errs, err)
		}
		for _, d := range drifts {
			errs = append(errs, d)
		}
	}
	return errors.Join(errs...)
}

// Drift is a block that differs from what the data give.
type Drift struct {
	File, Block string
	Line        int // first differing line of the file, from 1
	Have, Want  string
}

func (d Drift) Error() string {
	return fmt.Sprintf("%s:%d: block %s differs from the data: have %q, want %q; `cadence-bench report` rewrites it", d.File, d.Line, d.Block, d.Have, d.Want)
}

// splice returns the text with its blocks' contents replaced, in the text's own
// line endings, and where they differed.
func splice(path, text string, blocks map[string]string) (string, []Drift, error) {
	var out strings.Builder
	var drifts []Drift
	lines := strings.SplitAfter(text, "\n")
	fenced := false
	for i := 0; i < len(lines); i++ {
		out.WriteString(lines[i])
		bare, ending := cutEnding(lines[i])
		if strings.HasPrefix(strings.TrimLeft(bare, " "), "```") {
			fenced = !fenced
		}
		m := beginMark.FindStringSubmatch(bare)
		if fenced || m == nil {
			if !fenced && bare == endMark {
				return "", nil, fmt.Errorf("%s:%d: a block ends here that did not begin", path, i+1)
			}
			continue
		}
		content, known := blocks[m[1]]
		if !known {
			return "", nil, fmt.Errorf("%s:%d: unknown block %q: want one of %s", path, i+1, m[1], strings.Join(names(blocks), ", "))
		}
		end := closing(lines, i+1)
		if end < 0 {
			return "", nil, fmt.Errorf("%s:%d: block %s is not closed: put a line %q after it", path, i+1, m[1], endMark)
		}
		want := strings.SplitAfter(strings.TrimRight(content, "\n")+"\n", "\n")
		want = want[:len(want)-1]
		for j := range want {
			line, _ := cutEnding(want[j])
			want[j] = line + ending
			out.WriteString(want[j])
		}
		if d, differs := firstDifference(lines[i+1:end], want); differs {
			d.File, d.Block, d.Line = path, m[1], d.Line+i+2
			drifts = append(drifts, d)
		}
		out.WriteString(lines[end])
		i = end
	}
	return out.String(), drifts, nil
}

// closing returns the index of the end mark, -1 when another block begins or the
// text ends before it.
func closing(lines []string, from int) int {
	for i := from; i < len(lines); i++ {
		bare, _ := cutEnding(lines[i])
		if bare == endMark {
			return i
		}
		if beginMark.MatchString(bare) {
			return -1
		}
	}
	return -1
}

func cutEnding(line string) (bare, ending string) {
	bare = strings.TrimRight(line, "\r\n")
	return bare, line[len(bare):]
}

func firstDifference(have, want []string) (Drift, bool) {
	for i := range max(len(have), len(want)) {
		var d Drift
		if i < len(have) {
			d.Have, _ = cutEnding(have[i])
		}
		if i < len(want) {
			d.Want, _ = cutEnding(want[i])
		}
		if d.Have != d.Want || len(have) <= i || len(want) <= i {
			d.Line = i
			return d, true
		}
	}
	return Drift{}, false
}

func names(blocks map[string]string) []string {
	var ns []string
	for n := range blocks {
		ns = append(ns, n)
	}
	slices.Sort(ns)
	return ns
}

// replaceFile writes a file beside path and moves it there, so that a full disk
// cannot leave half a document.
func replaceFile(path, text string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".cadence-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, werr := f.WriteString(text)
	if err := errors.Join(werr, f.Chmod(info.Mode().Perm()), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
