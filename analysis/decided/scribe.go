package decided

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/results"
)

// scribe writes down the lines of a cell, step after step.
type scribe struct {
	asked   []arrival // what was decided about arrivals, and is not written yet
	ended   map[int32]time.Duration
	running []*runner // in order of admission
	held    int32
	lines   []Line
}

// arrival is the decision about one.
type arrival struct {
	at      time.Duration
	request int32
	item    string
}

// runner is a request in the batch.
type runner struct {
	request int32
	left    int32 // tokens still to be computed before it decodes
}

// linesOf returns the lines of a cell.
func linesOf(records []results.Record, steps []results.StepRow) []Line {
	s := scribe{asked: arrivalsOf(records), ended: map[int32]time.Duration{}}
	for i := range records {
		if r := &records[i]; r.Ended.OK {
			s.ended[r.Request] = r.Ended.V
		}
	}
	for i := range steps {
		s.step(&steps[i])
	}
	rest := Line{Step: int64(len(steps))}
	for _, a := range s.asked {
		rest.add("%s", a.item)
	}
	s.keep(rest)
	return s.lines
}

func (s *scribe) keep(l Line) {
	if len(l.Items) > 0 {
		s.lines = append(s.lines, l)
	}
}

// step writes the line of a step, if there is anything to write. A step's endings are
// those since the step before, which may be before its plan: whoever left then has no rows.
func (s *scribe) step(row *results.StepRow) {
	l := Line{Step: row.Step}
	for len(s.asked) > 0 && s.asked[0].at <= row.Committed {
		l.add("%s", s.asked[0].item)
		s.asked = s.asked[1:]
	}
	for _, e := range row.Evicted {
		l.add("evicted %d cached tokens of sequence %d for %s", e.Tokens, e.Sequence, e.Reason)
	}
	for _, e := range row.Ended {
		if at, ok := s.ended[e.Request]; ok && at <= row.Start {
			s.leaves(e.Request)
		}
	}
	s.admissions(&l, row)
	for _, p := range row.Preempted {
		l.add("preempted request %d for lack of a %s (%d blocks, %d tokens to compute again)", p.Request, lacking(p.Reason), p.Blocks, p.Tokens)
		if !row.Error.OK {
			s.leaves(p.Request)
		}
	}
	s.rows(&l, row)
	if row.Copies > 0 {
		l.add("copied %s", counted(row.Copies, "sequence"))
	}
	if row.Held != s.held {
		l.add("held %s back for a prefix that another computes", counted(row.Held, "request"))
		s.held = row.Held
	}
	for _, p := range row.Preempted {
		s.leaves(p.Request)
	}
	for _, e := range row.Ended {
		l.add("ended request %d (%s)", e.Request, e.Reason)
		s.leaves(e.Request)
	}
	if free := row.FreeBlocks + row.CachedBlocks; len(row.Ended) > 0 {
		l.Pool = fmt.Sprintf("%d of %d blocks free or cached", free, free+row.HeldBlocks)
	}
	s.keep(l)
}

func counted(n int32, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// lacking is the singular of a preemption's reason.
func lacking(reason string) string {
	if reason == "blocks" {
		return "block"
	}
	return reason
}

func (s *scribe) admissions(l *Line, row *results.StepRow) {
	for _, a := range row.Admitted {
		again := ""
		if a.Again {
			again = " again"
		}
		l.add("admitted request %d%s with %d of %d tokens cached", a.Request, again, a.Cached, a.Tokens)
		s.running = append(s.running, &runner{a.Request, a.Tokens - a.Cached})
	}
}

// rows writes who had rows of prompts, and how many requests that decode had to wait. The
// trace has sums only. Whose the prompt rows were follows from the scheduler's rule that
// what a step has for prompts goes to the oldest first; a prompt that found no block is
// passed over, and its rows are then ascribed to it all the same.
func (s *scribe) rows(l *Line, row *results.StepRow) {
	if row.Error.OK {
		l.add("no row computed: %s", row.Error.V)
		return
	}
	more, decoding := row.PrefillRows, int32(0)
	for _, r := range s.running {
		if r.left <= 0 {
			decoding++
			continue
		}
		n := min(r.left, more)
		if n <= 0 {
			continue
		}
		l.add("prefilled %d tokens of request %d", n, r.request)
		r.left, more = r.left-n, more-n
	}
	if more > 0 {
		l.add("prefilled %d tokens besides", more)
	}
	if decoding > row.DecodeRows {
		l.add("let %s wait that could decode", counted(decoding-row.DecodeRows, "request"))
	}
}

func (s *scribe) leaves(request int32) {
	s.running = slices.DeleteFunc(s.running, func(r *runner) bool { return r.request == request })
}

// arrivalsOf lists what was decided about arrivals, in the order of time.
func arrivalsOf(records []results.Record) (all []arrival) {
	for i := range records {
		r := &records[i]
		at := r.Intended
		if r.Sent.OK {
			at = r.Sent.V
		}
		var l Line
		switch a := r.Admission; {
		case r.Refused():
			l.add("refused request %d (%s)", r.Request, r.Reason.V)
		case a.OK && a.V.Forced:
			l.add("took request %d in spite of the bound (%s)", r.Request, a.V.Reason)
		case a.OK:
			l.add("took request %d (%s)", r.Request, a.V.Reason)
		default:
			continue
		}
		all = append(all, arrival{at, r.Request, l.Items[0]})
	}
	slices.SortFunc(all, func(a, b arrival) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.request, b.request)) })
	return all
}
