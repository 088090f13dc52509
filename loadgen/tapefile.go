package loadgen

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/cadence-bench/cadence-bench/loadgen/recording"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
	"github.com/cadence-bench/cadence-bench/results"
)

// tapeKey names the version of the format in a tape's first line.
const tapeKey = "cadence_tape"

const tapeVersion = 1

// tapeHeader is the first line of a tape as JSON lines, and the metadata of one as
// Parquet.
type tapeHeader struct {
	Version  int     `json:"cadence_tape"`
	Workload string  `json:"workload"`
	Arrivals string  `json:"arrivals"`
	RPS      float64 `json:"rps"`
	Seed     uint64  `json:"seed"`
	Duration int64   `json:"duration_ns"`
	Requests int     `json:"requests"`
}

// CheckTapeName is an error unless a tape can be written to a file of this name: its
// ending chooses the format, .jsonl or .parquet.
func CheckTapeName(file string) error {
	if ext := filepath.Ext(file); ext != ".jsonl" && ext != ".parquet" {
		return fmt.Errorf("%q: give a file that ends in .jsonl or .parquet", file)
	}
	return nil
}

// WriteFile writes a tape in the format of the file's ending. The file is whole or not
// there.
func (t *Tape) WriteFile(file string) error {
	if err := CheckTapeName(file); err != nil {
		return err
	}
	write := t.WriteJSONL
	if filepath.Ext(file) == ".parquet" {
		write = t.WriteParquet
	}
	return results.WriteAtomic(file, write)
}

// tapeRow is a request of a tape on disk; its index is its place.
type tapeRow struct {
	At         int64    `json:"at_ns"`
	Class      string   `json:"class"`
	Group      int64    `json:"group"` // -1: none
	System     string   `json:"system"`
	History    []string `json:"history"`
	User       string   `json:"user"`
	MaxTokens  int64    `json:"max_tokens"`
	StopTokens int64    `json:"stop_tokens"`
	Seed       uint64   `json:"seed"`
	Session    int64    `json:"session"` // 0: none
	Turn       int64    `json:"turn"`
	Think      int64    `json:"think_ns"`
}

func (t *Tape) header() tapeHeader {
	return tapeHeader{tapeVersion, t.Workload, t.Arrivals, t.RPS, t.Seed, int64(t.Duration), len(t.Requests)}
}

func rowOf(r *Request) tapeRow {
	return tapeRow{
		int64(r.At), r.Class, int64(r.Group), r.System, append([]string{}, r.History...), r.User,
		int64(r.MaxTokens), int64(r.StopTokens), r.Seed, int64(r.Session), int64(r.Turn), int64(r.Think),
	}
}

func (v *tapeRow) request(index int) Request {
	r := Request{
		Index: index, At: time.Duration(v.At), Class: v.Class, Group: int(v.Group), System: v.System, User: v.User,
		MaxTokens: int(v.MaxTokens), StopTokens: int(v.StopTokens), Seed: v.Seed,
		Session: int(v.Session), Turn: int(v.Turn), Think: time.Duration(v.Think),
	}
	if len(v.History) > 0 {
		r.History = v.History
	}
	return r
}

// WriteJSONL writes a tape as JSON lines: a header, and a line for each request.
// ReadTape gives back an equal tape.
func (t *Tape) WriteJSONL(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(t.header()); err != nil {
		return err
	}
	for i := range t.Requests {
		if err := e.Encode(rowOf(&t.Requests[i])); err != nil {
			return err
		}
	}
	return out.Flush()
}

// ReadTape reads a tape that WriteJSONL or WriteParquet wrote. Errors name the file,
// and the line and the field where there is one.
func ReadTape(file string) (*Tape, error) {
	rec, err := readRecording(file, recording.Tape, MaxArrivals)
	return rec.tape, err
}

func readTape(in *bufio.Reader) (*Tape, error) {
	if head, _ := in.Peek(4); string(head) == "PAR1" {
		return readParquetTape(in)
	}
	return readJSONLTape(in)
}

func readJSONLTape(r io.Reader) (*Tape, error) {
	var h *tapeHeader
	var t *Tape
	err := recording.Lines(r, func(line int, row []byte) (bool, error) {
		if h == nil {
			h = new(tapeHeader)
			if err := decodeStrict(line, row, h); err != nil {
				return false, err
			}
			var err error
			t, err = h.tape(line)
			return true, err
		}
		if len(t.Requests) == h.Requests {
			return false, recording.Faultf(line, "", "more requests than the header's %d", h.Requests)
		}
		v := tapeRow{Group: math.MinInt64}
		if err := decodeStrict(line, row, &v); err != nil {
			return false, err
		}
		r := v.request(len(t.Requests))
		if field, err := r.check(t.Duration); err != nil {
			return false, recording.Faultf(line, field, "%w", err)
		}
		t.Requests = append(t.Requests, r)
		return true, nil
	})
	switch {
	case err != nil:
		return nil, err
	case t == nil:
		return nil, errors.New("it is empty")
	case len(t.Requests) != h.Requests:
		return nil, fmt.Errorf("it has %d requests of %d: it was cut off", len(t.Requests), h.Requests)
	}
	return t, t.check()
}

// decodeStrict is decodeLine that also refuses fields that it does not know.
func decodeStrict(line int, row []byte, into any) error {
	if err := recording.DecodeLine(line, row, into); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(row))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return recording.Faultf(line, "", "%w", err)
	}
	return nil
}

// tape returns an empty tape with the header's facts.
func (h *tapeHeader) tape(line int) (*Tape, error) {
	switch {
	case h.Version != tapeVersion:
		return nil, recording.Faultf(line, tapeKey, "version %d; this version of cadence-bench reads %d", h.Version, tapeVersion)
	case h.Requests < 1 || h.Requests > 2*MaxArrivals:
		return nil, recording.Faultf(line, "requests", "%d: give 1 to %d", h.Requests, 2*MaxArrivals)
	case !(h.RPS > 0) || math.IsInf(h.RPS, 0):
		return nil, recording.Faultf(line, "rps", "%v is not a rate", h.RPS)
	case h.Duration <= 0:
		return nil, recording.Faultf(line, "duration_ns", "%d: must be positive", h.Duration)
	}
	return &Tape{Workload: h.Workload, Arrivals: h.Arrivals, RPS: h.RPS, Seed: h.Seed, Duration: time.Duration(h.Duration)}, nil
}

// check says what is wrong with a request by itself, and in which field.
func (r *Request) check(d time.Duration) (field string, err error) {
	switch {
	case r.At < 0, r.Turn == 0 && r.At >= d:
		return "at_ns", fmt.Errorf("%v is not within the duration, %v", r.At, d)
	case r.Group < -1:
		return "group", errors.New("give a number from 0, or -1 for none")
	case r.MaxTokens < 1 || r.MaxTokens > text.MaxTokens:
		return "max_tokens", fmt.Errorf("%d: give 1 to %d", r.MaxTokens, text.MaxTokens)
	case r.StopTokens < 1 || r.StopTokens > r.MaxTokens:
		return "stop_tokens", fmt.Errorf("%d: give 1 to max_tokens (%d)", r.StopTokens, r.MaxTokens)
	case r.User == "":
		return "user", errors.New("is empty")
	case len(r.History)%2 != 0:
		return "history", errors.New("has a user's turn without an answer")
	case !utf8.ValidString(r.System + r.User):
		return "user", errors.New("is not UTF-8")
	}
	return "", nil
}

// check says what is wrong with the requests of a tape, compared with each other.
func (t *Tape) check() error {
	last := time.Duration(0)
	for i := range t.Requests {
		r := &t.Requests[i]
		if field, err := r.check(t.Duration); err != nil {
			return fmt.Errorf("request %d: %s: %w", i, field, err)
		}
		if r.Turn > 0 {
			continue
		}
		if r.At < last {
			return fmt.Errorf("request %d: at_ns: %v is before the request above", i, r.At)
		}
		last = r.At
	}
	_, err := t.nextTurns()
	return err
}
