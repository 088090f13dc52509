package recording

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/loadgen/text"
)

// csvTable reads CSV with a header: columns by name, in any order and letter case.
type csvTable struct {
	r       *csv.Reader
	columns map[string]int
	row     []string
}

func newCSVTable(r io.Reader, columns ...string) (*csvTable, error) {
	t := &csvTable{r: csv.NewReader(r), columns: map[string]int{}}
	t.r.ReuseRecord = true
	header, err := t.r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("it is empty")
	}
	if err != nil {
		return nil, csvFault(err)
	}
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	for _, name := range columns {
		i := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(h, name) })
		if i < 0 {
			return nil, Faultf(1, name, "there is no such column; the header is %q", strings.Join(header, ","))
		}
		t.columns[name] = i
	}
	return t, nil
}

// next goes to the next row; false at the end.
func (t *csvTable) next() (bool, error) {
	row, err := t.r.Read()
	switch {
	case errors.Is(err, io.EOF):
		return false, nil
	case err != nil:
		return false, csvFault(err)
	}
	t.row = row
	return true, nil
}

func csvFault(err error) error {
	var e *csv.ParseError
	if errors.As(err, &e) {
		return &Fault{e.Line, "", e.Err}
	}
	return err
}

func (t *csvTable) cell(column string) (value string, line int) {
	i := t.columns[column]
	line, _ = t.r.FieldPos(i)
	return strings.TrimSpace(t.row[i]), line
}

// tokens reads a number of tokens.
func (t *csvTable) tokens(column string) (int, error) {
	s, line := t.cell(column)
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, Faultf(line, column, "%q is not a whole number of tokens", s)
	}
	return tokenCount(line, column, n)
}

func tokenCount(line int, field string, n int) (int, error) {
	if n < 0 || n > text.MaxTokens {
		return 0, Faultf(line, field, "%d tokens: give 0 to %d", n, text.MaxTokens)
	}
	return max(1, n), nil
}

// since checks that the times of rows do not decrease, and gives the time since the
// first.
type since struct {
	first, last time.Duration
	any         bool
}

func (s *since) at(line int, field string, t time.Duration) (time.Duration, error) {
	if !s.any {
		s.first, s.last, s.any = t, t, true
	}
	if t < s.last {
		return 0, Faultf(line, field, "it is %v before the row above; sort the rows by time", s.last-t)
	}
	s.last = t
	return t - s.first, nil
}

// ParseSeconds reads a time in seconds, at most that of a Unix clock in this century.
func ParseSeconds(s string) (time.Duration, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of seconds", s)
	}
	return fromSeconds(v)
}

func fromSeconds(v float64) (time.Duration, error) {
	const most = 4.2e9
	if !(v >= 0 && v <= most) {
		return 0, fmt.Errorf("%v s: give seconds from 0 to %g", v, most)
	}
	return time.Duration(math.Round(v * float64(time.Second))), nil
}

// readBurstGPT reads the CSV of BurstGPT (releases 1.1 and 2, with and without
// session columns). A failed request, which has 0 response tokens, is kept: it was
// offered.
func readBurstGPT(r io.Reader, limit int) ([]Row, error) {
	const at, prompt, output = "Timestamp", "Request tokens", "Response tokens"
	return readCSV(r, limit, at, prompt, output, ParseSeconds)
}

// readAzure reads the CSV of the Azure LLM inference traces, whose releases of 2023
// and 2024 differ in how they write the time.
func readAzure(r io.Reader, limit int) ([]Row, error) {
	const at, prompt, output = "TIMESTAMP", "ContextTokens", "GeneratedTokens"
	var epoch time.Time
	return readCSV(r, limit, at, prompt, output, func(s string) (time.Duration, error) {
		var t time.Time
		var err error
		for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", time.RFC3339} {
			if t, err = time.Parse(layout, s); err == nil {
				break
			}
		}
		if err != nil {
			return 0, fmt.Errorf("%q is not a time such as 2023-11-16 18:15:46.6805900 or 2024-05-10 00:00:00.009930+00:00", s)
		}
		if epoch.IsZero() {
			epoch = t
		}
		d := t.Sub(epoch)
		if d == math.MaxInt64 || d == math.MinInt64 {
			return 0, fmt.Errorf("%q is centuries from the first row", s)
		}
		return d, nil
	})
}

func readCSV(r io.Reader, limit int, at, prompt, output string, parse func(string) (time.Duration, error)) ([]Row, error) {
	t, err := newCSVTable(r, at, prompt, output)
	if err != nil {
		return nil, err
	}
	var rows []Row
	var clock since
	for len(rows) < limit {
		more, err := t.next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		s, line := t.cell(at)
		when, err := parse(s)
		if err != nil {
			return nil, &Fault{line, at, err}
		}
		var row Row
		if row.At, err = clock.at(line, at, when); err != nil {
			return nil, err
		}
		if row.Prompt, err = t.tokens(prompt); err != nil {
			return nil, err
		}
		if row.Output, err = t.tokens(output); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
