package chartdata

import (
	"fmt"
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

// ganttRows is how many requests schedule shows: as many as can be told apart.
const ganttRows = 32

// schedule is the first requests of one tape over time, as every rung serves them, at
// the highest common rate and the lowest shared seed: from the start of the cell, when
// nothing waits anywhere yet, so that a row is the same request in every panel, until
// twice the time in which they arrive. Later, where a rung has a backlog, the requests
// that it serves would not be those that another one serves. Engine steps are shown
// where they were traced.
func (b *builder) schedule() (Chart, error) {
	c := Chart{Name: "schedule", Title: "The same requests on every rung", OneSeed: true, Columns: 1}
	common := b.s.CommonRates()
	if len(common) == 0 {
		c.Absent = "the rungs share no offered rate at which each has a valid cell"
		return c, nil
	}
	rate := common[len(common)-1]
	cells := sharedSeed(b.s, rate)
	if cells == nil {
		c.Absent = fmt.Sprintf("the rungs share no seed at %s rps", number(rate))
		return c, nil
	}
	c.Title = fmt.Sprintf("The first requests at %s rps, step by step", number(rate))
	c.Facts = []string{fmt.Sprintf("seed %d", cells[0].Cell.Seed), "the highest rate that every rung has"}
	traced := true
	for _, cell := range cells {
		rows, err := b.src.Records(cell.Cell.Key)
		if err != nil {
			return Chart{}, err
		}
		if len(rows) == 0 {
			c.Panels, c.Absent = nil, fmt.Sprintf("%s has no request", cell.Cell.Name())
			return c, nil
		}
		var steps []results.StepRow
		if b.src.Steps != nil {
			if steps, err = b.src.Steps(cell.Cell.Key); err != nil {
				return Chart{}, err
			}
		}
		traced = traced && steps != nil
		c.Panels = append(c.Panels, ganttPanel(cell, b.looks[cell.Cell.Rung], rows, steps))
	}
	if !traced {
		c.Title = fmt.Sprintf("The first requests at %s rps", number(rate))
		c.Facts = append(c.Facts, "from the requests' own times: the steps were not traced")
	}
	return c, nil
}

func ganttPanel(cell *analysis.CellMetrics, look int, rows []results.Record, steps []results.StepRow) Panel {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b results.Record) int { return int(a.Request) - int(b.Request) })
	rows = rows[:min(len(rows), ganttRows)]
	end := windowEnd(rows)
	g := &Gantt{Rung: cell.Cell.Rung, Look: look}
	again := interruptions(steps)
	for i := range rows {
		r := &rows[i]
		g.Requests = append(g.Requests, r.Request)
		spans, mark := lifeOf(i, r, again[r.Request])
		for _, s := range spans {
			if s.From < end && s.To > s.From {
				s.To = min(s.To, end)
				g.Spans = append(g.Spans, s)
			}
		}
		if mark != nil && mark.At <= end {
			g.Marks = append(g.Marks, *mark)
		}
	}
	for i := range steps {
		st := &steps[i]
		if from := st.Start.Seconds(); from < end {
			g.Steps = append(g.Steps, Step{From: from, To: min(st.End.Seconds(), end), Rows: st.Rows, Prefill: st.PrefillRows})
		}
	}
	return Panel{
		Title: cell.Cell.Rung, Gantt: g,
		X: Axis{Label: "time since the start of the cell (s)", Unit: Seconds, Max: end},
		Y: Axis{Label: "request", Max: float64(len(rows))},
	}
}

// windowEnd is twice the last arrival, in whole half seconds.
func windowEnd(rows []results.Record) float64 {
	last := 0.0
	for i := range rows {
		last = max(last, rows[i].Intended.Seconds())
	}
	return max(0.5, math.Ceil(4*last)/2)
}

// interruption is a stretch in which a request that had started had no place in the
// batch.
type interruption struct{ from, to float64 }

// interruptions returns those of every request, in order. One that lasts until the
// request's end has no end.
func interruptions(steps []results.StepRow) map[int32][]interruption {
	all := map[int32][]interruption{}
	for i := range steps {
		at := steps[i].Start.Seconds()
		for _, p := range steps[i].Preempted {
			all[p.Request] = append(all[p.Request], interruption{at, math.Inf(1)})
		}
		for _, a := range steps[i].Admitted {
			if n := len(all[a.Request]); a.Again && n > 0 {
				all[a.Request][n-1].to = at
			}
		}
	}
	return all
}

// lifeOf returns what a request does when, and the mark of its end if it had no answer.
func lifeOf(row int, r *results.Record, again []interruption) (spans []Span, mark *Mark) {
	arrived := r.Intended.Seconds()
	if r.Outcome == results.Shed {
		return nil, &Mark{Row: row, At: arrived, Kind: Refused}
	}
	end := arrived
	if last := r.LastToken(); r.Outcome == results.Completed && last.OK {
		end = last.V.Seconds()
	} else if r.Ended.OK {
		end = r.Ended.V.Seconds()
	}
	if r.Outcome != results.Completed {
		mark = &Mark{Row: row, At: end, Kind: Unanswered}
	}
	if !r.Started.OK {
		return []Span{{row, arrived, end, Queued}}, mark
	}
	from := r.Started.V.Seconds()
	spans = append(spans, Span{row, arrived, from, Queued})
	for _, gap := range again {
		spans = append(spans, running(row, r, from, min(gap.from, end))...)
		from = min(gap.to, end)
		spans = append(spans, Span{row, min(gap.from, end), from, Queued})
	}
	return append(spans, running(row, r, from, end)...), mark
}

// running is a stretch in the batch: prefill until the first token in it, then decode.
func running(row int, r *results.Record, from, to float64) []Span {
	for _, at := range r.Tokens {
		if t := at.Seconds(); t > from {
			t = min(t, to)
			return []Span{{row, from, t, Prefill}, {row, t, to, Decode}}
		}
	}
	return []Span{{row, from, to, Prefill}}
}
