// Package embed fills the generated blocks of documents and checks that they are current.
//
// A block stands between two lines of their own, outside fenced code:
//
//	<!-- cadence:begin NAME -->
//	<!-- cadence:end -->
//
// A Set has the contents of its blocks by name, and its own word in the place of
// "cadence", so that a document can have blocks of several sets.
package embed

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/internal/regular"
	"github.com/cadence-bench/cadence-bench/results"
)

// Set is what documents can embed.
type Set struct {
	Mark   string            // the word that begins the marks of its blocks, such as "cadence"
	Remedy string            // the command that brings documents up to date
	Blocks map[string]string // contents by name
}

// Write brings the blocks of the documents up to date, and returns the documents that
// changed. When one has a fault, such as an unknown name or a block that is not closed,
// none is written.
func (s Set) Write(paths []string) (changed []string, err error) {
	texts := make([]string, len(paths))
	for i, path := range paths {
		old, err := regular.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if texts[i], _, err = s.splice(path, string(old)); err != nil {
			return nil, err
		}
		if texts[i] != string(old) {
			changed = append(changed, path)
		}
	}
	for i, path := range paths {
		if slices.Contains(changed, path) {
			info, err := os.Stat(path)
			if err != nil {
				return nil, err
			}
			if err := errors.Join(results.WriteBytes(path, []byte(texts[i])), os.Chmod(path, info.Mode().Perm())); err != nil {
				return nil, err
			}
		}
	}
	return changed, nil
}

// Check compares the documents with what Write would write. Its error has one
// line per block that differs: the file, the block and the first differing line.
func (s Set) Check(paths []string) error {
	var errs []error
	for _, path := range paths {
		text, err := regular.ReadFile(path)
		if err != nil {
			return err
		}
		_, drifts, err := s.splice(path, string(text))
		errs = append(append(errs, drifts...), err)
	}
	return errors.Join(errs...)
}

// splice returns the text with its blocks' contents replaced, in the text's own
// line endings, and an error for each that differed.
func (s Set) splice(path, text string) (_ string, drifts []error, err error) {
	begin := regexp.MustCompile(`^<!-- ` + regexp.QuoteMeta(s.Mark) + `:begin (\S+) -->$`)
	endMark := "<!-- " + s.Mark + ":end -->"
	lines := strings.SplitAfter(text, "\n")
	// closing is the index of the end mark, -1 when another block begins or the text ends before it.
	closing := func(from int) int {
		i := slices.IndexFunc(lines[from:], func(line string) bool { return bare(line) == endMark || begin.MatchString(bare(line)) })
		if i < 0 || bare(lines[from+i]) != endMark {
			return -1
		}
		return from + i
	}
	var out strings.Builder
	fenced := false
	for i := 0; i < len(lines); i++ {
		out.WriteString(lines[i])
		line := bare(lines[i])
		if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
			fenced = !fenced
		}
		m := begin.FindStringSubmatch(line)
		if fenced || m == nil {
			if !fenced && line == endMark {
				return "", nil, fmt.Errorf("%s:%d: a block ends here that did not begin", path, i+1)
			}
			continue
		}
		content, known := s.Blocks[m[1]]
		if !known {
			return "", nil, fmt.Errorf("%s:%d: unknown block %q: want one of %s", path, i+1, m[1], strings.Join(slices.Sorted(maps.Keys(s.Blocks)), ", "))
		}
		end := closing(i + 1)
		if end < 0 {
			return "", nil, fmt.Errorf("%s:%d: block %s is not closed: put a line %q after it", path, i+1, m[1], endMark)
		}
		want := strings.Split(strings.TrimRight(content, "\n"), "\n")
		for _, l := range want {
			out.WriteString(l + lines[i][len(line):])
		}
		if n, differs := Compare(lines[i+1:end], want); differs != "" {
			drifts = append(drifts, fmt.Errorf("%s:%d: block %s differs from the data: %s; `%s` rewrites it", path, i+1+n, m[1], differs, s.Remedy))
		}
		out.WriteString(lines[end])
		i = end
	}
	return out.String(), drifts, nil
}

func bare(line string) string { return strings.TrimRight(line, "\r\n") }

// Compare returns the number, from 1, of the first line that differs, and how; "" when
// none does. Line endings do not count.
func Compare(have, want []string) (line int, differs string) {
	for i := range max(len(have), len(want)) {
		h, w := "", ""
		if i < len(have) {
			h = bare(have[i])
		}
		if i < len(want) {
			w = bare(want[i])
		}
		if h != w || len(have) <= i || len(want) <= i {
			return i + 1, fmt.Sprintf("have %.200q, want %.200q", h, w)
		}
	}
	return 0, ""
}
