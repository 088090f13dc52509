package decided

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/cadence-bench/cadence-bench/results"
)

// Decode reads a file of Encode. An error says what is wrong, and in which line of the text.
func Decode(data []byte) ([]Cell, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxText))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := r.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("decisions: it is not a whole zstd file of at most %d bytes: %w", maxText, err)
	}
	return parse(text)
}

// parse reads what render wrote, and nothing else: what it returns renders to the same text.
func parse(text []byte) ([]Cell, error) {
	body, ok := strings.CutPrefix(string(text), header)
	if !ok {
		first, _, _ := bytes.Cut(text[:min(len(text), 60)], []byte("\n"))
		return nil, fmt.Errorf("decisions: the text begins with %q, and this version reads %q only: write the baseline again", first, strings.TrimSpace(header))
	}
	if body != "" && !strings.HasSuffix(body, "\n") {
		return nil, errors.New("decisions: the last line is torn")
	}
	var p parser
	n := 1
	for line := range strings.Lines(body) {
		n++
		if err := p.line(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("decisions, line %d: %w", n, err)
		}
	}
	return p.cells, nil
}

type parser struct {
	cells []Cell
	seen  map[results.Key]bool
}

func (p *parser) line(line string) error {
	kind, rest, _ := strings.Cut(line, " ")
	if kind == "cell" {
		return p.cell(rest)
	}
	if len(p.cells) == 0 {
		return fmt.Errorf("%.40q stands before the first cell", line)
	}
	c := &p.cells[len(p.cells)-1]
	switch kind {
	case "r":
		return c.readRequest(rest)
	case "s":
		return c.readLine(rest)
	}
	return fmt.Errorf("%.40q is neither a cell nor a request (r) nor a step (s)", line)
}

func (p *parser) cell(rest string) error {
	rung, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return fmt.Errorf("the cell's rung is not quoted: %.40q", rest)
	}
	var c Cell
	w := words{list: strings.Split(strings.TrimPrefix(rest[len(rung):], " "), " ")}
	c.Key.Rung, _ = strconv.Unquote(rung)
	c.Key.OfferedRPS = w.float("the rate")
	w.word("rps")
	w.word("seed")
	c.Key.Seed = w.unsigned("the seed")
	w.word("replicate")
	c.Key.Replicate = int(w.whole("the replicate", math.MaxInt32))
	w.word("anchor")
	c.Key.Anchor = w.next("whether it is an anchor") == "true"
	w.word("slo")
	c.SLOMS = w.whole("the SLO", math.MaxInt64)
	w.word("ms")
	w.word("steps")
	c.Steps = w.whole("the steps", math.MaxInt64)
	if err := w.end(); err != nil {
		return fmt.Errorf("cell: %w", err)
	}
	if again, _ := bytes.CutSuffix(render([]Cell{c}), []byte("\n")); string(again[len(header):]) != "cell "+rest {
		return fmt.Errorf("the cell's line is not as it is written here: %.80q", rest)
	}
	if p.seen[c.Key] {
		return fmt.Errorf("cell %s is there twice", c.Key.Name())
	}
	if p.seen == nil {
		p.seen = map[results.Key]bool{}
	}
	p.seen[c.Key] = true
	p.cells = append(p.cells, c)
	return nil
}

func (c *Cell) readRequest(rest string) error {
	if len(c.Lines) > 0 {
		return errors.New("a request stands behind the steps")
	}
	w := words{list: strings.Split(rest, " ")}
	id := int32(-1)
	if n := len(c.Requests); n > 0 {
		id = c.Requests[n-1].ID
	}
	r := Request{ID: id + int32(w.further("the request", w.next("the request"), 1, math.MaxInt32-max(int64(id), 0))), Fate: Fate(w.next("its fate")), MS: -1}
	if ms := w.next("its latency"); ms != "-1" {
		r.MS = w.number("its latency", ms, math.MaxInt64)
	}
	if err := w.end(); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if !slices.Contains(fates, r.Fate) {
		return fmt.Errorf("request %d: unknown fate %.40q", r.ID, string(r.Fate))
	}
	c.Requests = append(c.Requests, r)
	return nil
}

func (c *Cell) readLine(rest string) error {
	step, items, ok := strings.Cut(rest, ": ")
	if !ok || items == "" {
		return fmt.Errorf("step %.40q says nothing", rest)
	}
	var w words
	before, least := int64(0), int64(0)
	if n := len(c.Lines); n > 0 {
		before, least = c.Lines[n-1].Step, 1
	}
	l := Line{Step: before + w.further("the step", step, least, c.Steps-before), Items: strings.Split(items, between)}
	if w.err != nil {
		return w.err
	}
	for _, item := range l.Items {
		if item == "" || item != strings.Join(strings.Fields(item), " ") {
			return fmt.Errorf("step %d: %.40q is not an item", l.Step, item)
		}
	}
	if last := len(l.Items) - 1; last > 0 && strings.HasPrefix(l.Items[last], left) {
		l.Pool, l.Items = l.Items[last][len(left):], l.Items[:last]
	}
	c.Lines = append(c.Lines, l)
	return nil
}

// words reads a line word by word, and remembers the first error.
type words struct {
	list []string
	err  error
}

func (w *words) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *words) next(what string) string {
	if len(w.list) == 0 {
		w.fail("%s is missing", what)
		return ""
	}
	word := w.list[0]
	w.list = w.list[1:]
	return word
}

func (w *words) word(want string) {
	if got := w.next(want); got != want {
		w.fail("%.40q stands where %q should", got, want)
	}
}

func (w *words) float(what string) float64 {
	word := w.next(what)
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		w.fail("%s is %.40q: not a number", what, word)
	}
	return v
}

func (w *words) unsigned(what string) uint64 {
	word := w.next(what)
	v, err := strconv.ParseUint(word, 10, 64)
	if err != nil {
		w.fail("%s is %.40q: not a whole number", what, word)
	}
	return v
}

func (w *words) whole(what string, most int64) int64 { return w.number(what, w.next(what), most) }

// number reads digits alone, without a sign or leading zeros.
func (w *words) number(what, word string, most int64) int64 {
	v, err := strconv.ParseInt(word, 10, 64)
	if err != nil || v < 0 || v > most || strconv.FormatInt(v, 10) != word {
		w.fail("%s is %.40q: not a whole number from 0 to %d", what, word, most)
	}
	return v
}

// further reads how much further something is than the one before, such as +3.
func (w *words) further(what, word string, least, most int64) int64 {
	v, err := strconv.ParseInt(word, 10, 64)
	if err != nil || v < least || v > most || fmt.Sprintf("+%d", v) != word {
		w.fail("%s is %.40q: not from +%d to +%d", what, word, least, most)
		return 0
	}
	return v
}

func (w *words) end() error {
	if len(w.list) > 0 {
		w.fail("%.40q is too much", strings.Join(w.list, " "))
	}
	return w.err
}
