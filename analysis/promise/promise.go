// Package promise says what the requests of one cell tell of its admission policy: what
// became of those that it took, whether it kept what it promised them, how evenly it took
// them, and where its threshold stood.
package promise

import (
	"cmp"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// Outcome is what the requests of one cell say about its admission policy, over the
// steady window.
type Outcome struct {
	Policy string                // its name
	Alpha  results.Opt[float64]  // the share of violations that it promises not to pass
	Counts                       // of all arrivals
	Length [lengthClasses]Counts // of the arrivals by how long an answer they asked for
	// Promised are the requests that were taken and not forced, which the promise is
	// about, and Violations those of them that did not end well within the SLO.
	Promised, Violations int
	// Bounded are those of them that were given a bound, and Covered
	// those of them that ended within it.
	Bounded, Covered int
	// Width is the median of bound over E2E of those that ended.
	Width results.Opt[float64]
	// Worst is the lowest attainment of WorstRun promised requests in a row.
	Worst results.Opt[float64]
	Pace  Pace
	Theta Theta
	// Reasons counts the arrivals by the policy's word on them, by name.
	Reasons []ReasonCount
	// Upper is how many arrivals no policy could have passed in answers within the SLO;
	// null where nobody can tell, and where the window or the SLO is not the cell's own.
	Upper results.Opt[float64]
}

// Counts of arrivals.
type Counts struct {
	Arrivals, Taken, Forced, Dropped, Aborted int
	Good                                      int // ended within the SLO
}

// ReasonCount is how often a policy gave a reason.
type ReasonCount struct {
	Reason string
	N      int
}

// WorstRun is how many requests in a row Worst looks at: with 200 the attainment of an
// unlucky run of a promise of 95% is above 0.90 in all but one of a thousand.
const WorstRun = 200

// lengthClasses are those of requests by how long an answer they asked for: the
// thirds of the cell's arrivals.
const lengthClasses = 3

// LengthClasses names them.
var LengthClasses = [lengthClasses]string{"short", "medium", "long"}

// Cell is what is known of a cell besides its rows.
type Cell struct {
	Policy       string
	Alpha, Upper results.Opt[float64] // see Outcome
	Window       latency.Window
	SLOS         float64
	Admission    Admission // over the window
}

// Of computes what a cell says about its policy; null when it has none.
func Of(c Cell, recs []results.Record) (none results.Opt[Outcome]) {
	in := make([]*results.Record, 0, len(recs))
	for i := range recs {
		if r := &recs[i]; c.Window.Holds(r.Intended) && r.Admission.OK {
			in = append(in, r)
		}
	}
	if len(in) == 0 {
		return none
	}
	slices.SortStableFunc(in, func(a, b *results.Record) int {
		return cmp.Or(cmp.Compare(a.Intended, b.Intended), cmp.Compare(a.Request, b.Request))
	})
	a := Outcome{Policy: c.Policy, Alpha: c.Alpha, Upper: c.Upper, Promised: c.Admission.Promised, Violations: c.Admission.Violated}
	t := promiseTally{slo: latency.Nanos(c.SLOS), thirds: thirdsOf(in), reasons: map[string]int{}}
	for _, r := range in {
		t.add(&a, r)
	}
	a.Width, a.Worst = medianIf(t.widths), worst(t.kept)
	a.Pace = paceOf(in, c.Window)
	for reason, n := range t.reasons {
		a.Reasons = append(a.Reasons, ReasonCount{reason, n})
	}
	slices.SortFunc(a.Reasons, func(x, y ReasonCount) int { return cmp.Compare(x.Reason, y.Reason) })
	return results.Some(a)
}

// promiseTally accumulates one cell.
type promiseTally struct {
	slo     time.Duration
	thirds  [lengthClasses - 1]int32
	widths  []float64
	kept    []bool // of those promised, by arrival: it ended well
	reasons map[string]int
}

func (t *promiseTally) add(a *Outcome, r *results.Record) {
	d := &r.Admission.V
	t.reasons[d.Reason]++
	e2e, answered := time.Duration(0), r.Outcome == results.Completed
	if answered {
		end := r.LastToken()
		if !end.OK {
			end = r.Ended
		}
		e2e = end.V - r.Intended
	}
	good := answered && e2e <= t.slo
	for _, c := range []*Counts{&a.Counts, &a.Length[t.class(r.MaxTokens)]} {
		c.add(r, good)
	}
	a.Theta.add(d, good)
	if !d.Admitted || d.Forced {
		return
	}
	t.kept = append(t.kept, good)
	if !d.Bound.OK {
		return
	}
	a.Bounded++
	if answered && e2e <= d.Bound.V {
		a.Covered++
	}
	if answered && e2e > 0 {
		t.widths = append(t.widths, float64(d.Bound.V)/float64(e2e))
	}
}

func (c *Counts) add(r *results.Record, good bool) {
	c.Arrivals++
	if r.Admission.V.Admitted {
		c.Taken++
	}
	if r.Admission.V.Forced {
		c.Forced++
	}
	if r.Dropped() {
		c.Dropped++
	}
	if r.Aborted() {
		c.Aborted++
	}
	if good {
		c.Good++
	}
}

func (t *promiseTally) class(maxTokens int32) int {
	class := 0
	for class < len(t.thirds) && maxTokens > t.thirds[class] {
		class++
	}
	return class
}

// thirdsOf is what separates the arrivals' thirds by the answer that they asked for.
func thirdsOf(in []*results.Record) (cuts [lengthClasses - 1]int32) {
	asked := make([]int32, len(in))
	for i, r := range in {
		asked[i] = r.MaxTokens
	}
	slices.Sort(asked)
	for i := range cuts {
		cuts[i] = asked[(i+1)*(len(asked)-1)/lengthClasses]
	}
	return cuts
}

// medianIf is the median, null of nothing.
func medianIf(values []float64) (none results.Opt[float64]) {
	if len(values) == 0 {
		return none
	}
	return results.Some(stats.Median(values))
}

// worst is the lowest share of kept promises in any WorstRun of them in a row.
func worst(kept []bool) (none results.Opt[float64]) {
	if len(kept) < WorstRun {
		return none
	}
	n, low := 0, WorstRun
	for i, ok := range kept {
		if ok {
			n++
		}
		if i >= WorstRun && kept[i-WorstRun] {
			n--
		}
		if i >= WorstRun-1 {
			low = min(low, n)
		}
	}
	return results.Some(float64(low) / WorstRun)
}
