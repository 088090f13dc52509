// Package compared tells two parts of runs apart, in tables and as a record for scripts.
package compared

import (
	"fmt"
	"math"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Tables are everything that is said about two arms.
type Tables struct {
	Differing table.Table // between the manifests
	Speed     table.Table // of the machine beside each
	Count     table.Table // how many findings of each kind, by metric
	Deltas    table.Table
	Pairs     table.Table // what became of the same requests
}

// All returns all of them, in the order in which they are shown.
func (c Tables) All() []table.Table {
	return []table.Table{c.Differing, c.Speed, c.Count, c.Deltas, c.Pairs}
}

// Of makes the tables of a comparison of parts of two runs, by their manifests.
func Of(c *compare.Comparison, a, b results.Manifest) Tables {
	f := comparedFacts(c, a, b)
	return Tables{differing(c, f, compare.Differences(a, b)), speed(c, f), counts(c, f), deltas(c, f), duels(c, f)}
}

func comparedFacts(c *compare.Comparison, a, b results.Manifest) caption.Facts {
	var cells []analysis.CellMetrics
	for _, p := range c.Matching.Pairs {
		cells = append(cells, *p.A, *p.B)
	}
	model := caption.Model(a)
	if other := caption.Model(b); other != model {
		model += ", " + other
	}
	return caption.Of(analysis.NewSweep(cells, nil), model)
}

func differing(c *compare.Comparison, f caption.Facts, ds []compare.Difference) table.Table {
	if p := c.Matching.Pairs[0]; p.A.Cell.Rung != p.B.Cell.Rung {
		ds = append(ds, compare.Difference{What: "rung", A: p.A.Cell.Rung, B: p.B.Cell.Rung})
	}
	if len(ds) == 0 {
		ds = []compare.Difference{{What: "nothing"}}
	}
	t := table.New(f.Title(fmt.Sprintf("B (%s) against A (%s)", c.B, c.A)), f.Caption(), ds,
		table.Show("what differs", func(d compare.Difference) string { return d.What }).Left(),
		table.Show("A", func(d compare.Difference) string { return table.OrNull(d.A) }).Left(),
		table.Show("B", func(d compare.Difference) string { return table.OrNull(d.B) }).Left())
	for _, what := range []struct {
		name  string
		cells []string
	}{{"Not compared", c.Matching.Alone}, {"Void, and left out", c.Matching.Void}} {
		for _, cell := range what.cells {
			t.Notes = append(t.Notes, what.name+": "+cell+".")
		}
	}
	if slos(c) {
		t.Notes = append(t.Notes, "The SLOs of A and B differ: both are judged by the stricter one. Give one for both with --slo.")
	}
	return t
}

// slos reports whether partners have different SLOs.
func slos(c *compare.Comparison) bool {
	for _, p := range c.Matching.Pairs {
		if p.A.SLOS != p.B.SLOS {
			return true
		}
	}
	return false
}

func speed(c *compare.Comparison, f caption.Facts) table.Table {
	type side struct {
		name string
		compare.Speed
	}
	sc := format.ScaleOf(unit.TokensPerS, 0)
	t := table.New(f.Title("The machine's speed before the compared cells"), "mean (min–max) of the probes", []side{{"A", c.SpeedA}, {"B", c.SpeedB}},
		table.Show("", func(s side) string { return s.name }).Left(),
		table.Show("cells", func(side) string { return fmt.Sprint(len(c.Matching.Pairs)) }),
		table.Show("decode (tok/s)", func(s side) string { return sc.Spread(s.Decode) }),
		table.Show("prefill (tok/s)", func(s side) string { return sc.Spread(s.Prefill) }))
	if a, b := c.SpeedA.Decode, c.SpeedB.Decode; a.N > 0 && b.N > 0 && a.Mean > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("The idle machine decoded %s as fast before B's cells as before A's (%s prefill).",
			times(b.Mean/a.Mean), times(c.SpeedB.Prefill.Mean/c.SpeedA.Prefill.Mean)))
	}
	switch {
	case c.Interleaved:
		t.Notes = append(t.Notes, "A and B were measured in one sweep, in turn.")
	case strings.Contains(f.Backend, caption.Backend("twin")):
		t.Notes = append(t.Notes, "A and B are different sweeps; a simulated machine does not change in between.")
	default:
		t.Notes = append(t.Notes, "WARNING: A and B were not interleaved: they are different sweeps, and what the machine did between them is part of every difference below.")
	}
	return t
}

func times(ratio float64) string {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return table.Null
	}
	return format.Sig3(ratio) + " times"
}

// counts is one row per metric.
func counts(c *compare.Comparison, f caption.Facts) table.Table {
	type row struct {
		label string
		n     map[compare.Finding]int
	}
	var rows []row
	total := 0
	for _, contrast := range compare.Contrasts() {
		r := row{n: map[compare.Finding]int{}}
		for _, p := range c.Points {
			for _, d := range p.Deltas {
				if d.Key == contrast.Key {
					r.n[d.Finding]++
					r.label = d.Label
				}
			}
		}
		if r.label != "" {
			rows = append(rows, r)
			total += r.n[compare.BetterThan] + r.n[compare.WorseThan] + r.n[compare.NoDifference]
		}
	}
	columns := []table.Col[row]{table.Show("metric", func(r row) string { return r.label }).Left()}
	for _, v := range compare.Findings() {
		columns = append(columns, table.Show(string(v), func(r row) string { return fmt.Sprint(r.n[v]) }))
	}
	t := table.New(f.Title("Findings of B against A"), "how many rungs and rates", rows, columns...)
	if total > 1 {
		t.Notes = []string{fmt.Sprintf("At 95%% each, about %s of %d findings would be of a difference if there were none at all.", format.Short(0.05*float64(total)), total)}
	}
	return t
}

// versus names the rungs of a point.
func versus(p compare.Versus) string {
	if p.RungA == p.RungB {
		return p.RungA
	}
	return p.RungB + " vs " + p.RungA
}

// duels is one row per rung and rate: what became of the same requests.
func duels(c *compare.Comparison, f caption.Facts) table.Table {
	t := table.New(f.Title("The same requests in A and B"), f.Caption(), c.Points,
		table.Show("rung", versus).Left(),
		table.Show("offered (rps)", func(p compare.Versus) string { return format.Short(p.OfferedRPS) }),
		table.Show("seeds", func(p compare.Versus) string { return fmt.Sprint(len(p.Seeds)) }),
		table.Show("pairs", func(p compare.Versus) string { return fmt.Sprint(p.Requests) }),
		table.Show("block", func(p compare.Versus) string { return fmt.Sprint(p.Block) }),
		table.Show("E2E in B sooner / later / equal / open", func(p compare.Versus) string { return duel(p.E2E) }),
		table.Show("TTFT sooner / later / equal / open", func(p compare.Versus) string { return duel(p.TTFT) }),
		table.Show("within the SLO in B only / A only / both / neither", func(p compare.Versus) string {
			return fmt.Sprintf("%d / %d / %d / %d", p.Good.OnlyB, p.Good.OnlyA, p.Good.Both, p.Good.Neither)
		}))
	t.Notes = []string{"An answered request beats one that was not; with two unanswered ones it is open which was sooner. Block: how many requests in a row depend on each other, and are resampled as one."}
	unpaired := 0
	for _, p := range c.Points {
		unpaired += p.Unpaired
	}
	if unpaired > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d requests were in the steady window of one side only and are left out: turns of conversations are due when the one before has ended.", unpaired))
	}
	return t
}

func duel(d compare.Duel) string {
	n := d.Sooner + d.Later + d.Tie + d.Unresolved
	if n == 0 {
		return table.Null
	}
	share := func(k int) string { return fmt.Sprintf("%.0f%%", 100*float64(k)/float64(n)) }
	return strings.Join([]string{share(d.Sooner), share(d.Later), share(d.Tie), share(d.Unresolved)}, " / ")
}
