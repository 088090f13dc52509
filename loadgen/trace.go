package loadgen

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/regular"
	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/loadgen/params"
	"github.com/cadence-bench/cadence-bench/loadgen/recording"
)

// recorded is a recording as it was read: rows, or a frozen tape.
type recorded struct {
	format string
	rows   []recording.Row
	tape   *Tape
}

// readRecording reads at most limit rows of a file; an empty format is found out.
func readRecording(file, format string, limit int) (recorded, error) {
	f, err := regular.Open(file)
	if err != nil {
		return recorded{}, err
	}
	defer f.Close()
	rec, err := parseRecording(f, format, limit)
	if err != nil {
		return recorded{}, fmt.Errorf("%s: %w", file, err)
	}
	return rec, nil
}

// parseRecording is readRecording of a stream.
func parseRecording(r io.Reader, format string, limit int) (rec recorded, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if bom, _ := in.Peek(3); bytes.Equal(bom, []byte("\xEF\xBB\xBF")) {
		in.Discard(3)
	}
	head, _ := in.Peek(4096)
	if format == "" {
		if format = sniff(head); format == "" {
			return recorded{}, fmt.Errorf("cannot tell its format; give format= and one of %s", strings.Join(recording.Formats(), ", "))
		}
	}
	rec.format = format
	if format == recording.Tape {
		rec.tape, err = readTape(in)
	} else {
		rec.rows, err = recording.Read(in, format, limit)
	}
	if err == nil && rec.tape == nil && len(rec.rows) == 0 {
		err = errors.New("it has no requests")
	}
	return rec, err
}

// sniff tells a format by how a file begins, or returns "".
func sniff(head []byte) string {
	first, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	line := strings.TrimSpace(string(first))
	header := strings.ToLower(line)
	switch {
	case strings.HasPrefix(line, "PAR1"):
		return recording.Tape
	case strings.HasPrefix(line, "["):
		return recording.ShareGPT
	case strings.HasPrefix(line, "{") && strings.Contains(line, `"`+tapeKey+`"`):
		return recording.Tape
	case strings.HasPrefix(line, "{"):
		return recording.Mooncake
	case strings.Contains(header, "contexttokens"):
		return recording.Azure
	case strings.Contains(header, "request tokens"):
		return recording.BurstGPT
	}
	if _, err := recording.ParseSeconds(line); err == nil || strings.HasPrefix(line, "#") {
		return recording.Times
	}
	return ""
}

// arrivals returns the recorded times as a process, or false for a recording
// without times.
func (r *recorded) arrivals() (a arrival.Process, ok bool, err error) {
	if t := r.tape; t != nil {
		at := t.ArrivalTimes()
		perArrival := float64(len(t.Requests)) / float64(len(at))
		return arrival.Recorded(at, t.RPS/perArrival, t.Duration).Named(t.Arrivals), true, nil
	}
	if r.format == recording.ShareGPT {
		return arrival.Process{}, false, nil
	}
	at := make([]time.Duration, len(r.rows))
	for i := range r.rows {
		at[i] = r.rows[i].At
	}
	last := at[len(at)-1]
	if last == 0 {
		return arrival.Process{}, false, errors.New("all requests come at one time: they have no rate")
	}
	rate := float64(len(at)-1) / last.Seconds()
	span := float64(len(at)) / rate * float64(time.Second)
	return arrival.Recorded(at, rate, time.Duration(math.Ceil(min(span, math.MaxInt64/2)))), true, nil
}

// ParseArrivals reads a spec of ArrivalsHelp. For replay the file is read.
func ParseArrivals(spec string) (arrival.Process, error) {
	name, rest := params.Split(spec)
	if name != "replay" {
		return arrival.Parse(spec)
	}
	o := params.New("arrivals", name, rest, true)
	a := openReplay(o)
	spec, err := o.Done()
	if err != nil {
		return arrival.Process{}, err
	}
	return a.Named(spec), nil
}

// openReplay reads the file of replay:FILE.
func openReplay(o *params.Reader) arrival.Process {
	format := o.Word("format", recording.Formats())
	if o.Err != nil {
		return arrival.Process{}
	}
	rec, err := readRecording(o.File, format, MaxArrivals)
	if err != nil {
		o.FailWith(err)
		return arrival.Process{}
	}
	a, ok, err := rec.arrivals()
	switch {
	case err != nil:
		o.Fail("%s: %v", o.File, err)
	case !ok:
		o.Fail("%s: %s has no times", o.File, rec.format)
	}
	return a
}

// openTrace reads the file of trace:FILE.
func openTrace(o *params.Reader) Workload {
	format := o.Word("format", recording.Formats())
	p := traceText{
		scale: o.Number("scale", 1, 1e-6, 1000),
		turns: o.Whole("turns", 1, 1, 1000),
		think: o.Duration("think", 2*time.Second, 0),
	}
	limit := o.Whole("limit", MaxArrivals, 1, MaxArrivals)
	if o.Err != nil {
		return Workload{}
	}
	rec, err := readRecording(o.File, format, limit)
	if err != nil {
		o.FailWith(err)
		return Workload{}
	}
	w := Workload{perArrival: 1, label: Trace + ":" + strings.Join(append([]string{filepath.Base(o.File)}, o.Shown...), ",")}
	a, timed, err := rec.arrivals()
	switch {
	case err != nil:
		o.Fail("%s: %v", o.File, err)
		return Workload{}
	case rec.format == recording.Times:
		o.Fail("%s: has times and no requests; use it as --arrivals replay:%s", o.File, o.File)
		return Workload{}
	case timed:
		w.recorded = &a
	}
	if rec.tape != nil {
		w.label, w.frozen = rec.tape.Workload, true
		w.perArrival = float64(len(rec.tape.Requests)) / float64(len(rec.tape.ArrivalTimes()))
		w.open = func(uint64) source { return &frozen{rest: rec.tape.Requests} }
		return w
	}
	if rec.format == recording.ShareGPT {
		requests := 0
		for i := range rec.rows {
			requests += min(p.turns, len(rec.rows[i].Said)/2)
		}
		w.perArrival = float64(requests) / float64(len(rec.rows))
	}
	w.open = func(seed uint64) source {
		return &traceSource{traceText: p, draws: newDraws(seed), rows: rec.rows, groups: map[int64]int{}}
	}
	return w
}
