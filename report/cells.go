package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Cells is one row per cell, in the order of the sweep, with the outcome of every
// arrival and 95% intervals of the latencies.
func Cells(s *analysis.Sweep, f Facts) Table {
	each := eachCell(s)
	number := func(m analysis.Metric) table.Col {
		sc := scaleOf(m.Unit, largestOf(s, m))
		return table.Right(sc.name(m.Label), each(func(c *analysis.CellMetrics) string {
			v := m.Of(c)
			if !v.OK {
				return table.Null
			}
			return sc.bounded(v.V, v.Bound)
		}))
	}
	interval := func(m analysis.Metric, of func(*analysis.CellMetrics) stats.Quantile) table.Col {
		sc := scaleOf(m.Unit, largestOf(s, m))
		return table.Right(sc.name(m.Label), each(func(c *analysis.CellMetrics) string { return sc.interval(of(c)) }))
	}
	t := table.Of(f.title("Every cell, in the order of the sweep"), f.Caption(), []table.Col{
		table.Right("#", each(func(c *analysis.CellMetrics) string { return strconv.Itoa(c.Cell.Order) })),
		table.Left("rung", each(rungOf)),
		table.Right("offered (rps)", each(func(c *analysis.CellMetrics) string { return short(c.Cell.OfferedRPS) })),
		table.Right("seed", each(func(c *analysis.CellMetrics) string { return strconv.FormatUint(c.Cell.Seed, 10) })),
		number(analysis.Arrivals), number(analysis.Completed), number(analysis.Shed), number(analysis.Timeouts), number(analysis.Failures),
		number(analysis.Goodput), number(analysis.Tokens), number(analysis.TPOTP50),
		interval(analysis.TTFTP50, func(c *analysis.CellMetrics) stats.Quantile { return c.TTFT.P50 }),
		interval(analysis.E2EP50, func(c *analysis.CellMetrics) stats.Quantile { return c.E2E.P50 }),
		interval(analysis.E2EP99, func(c *analysis.CellMetrics) stats.Quantile { return c.E2E.P99 }),
		table.Right("valid", each(valid)),
	})
	t.Fields = cellFields(s)
	t.Notes = []string{
		"[lo, hi] is the 95% interval of the quantile from order statistics; “∞” where the cell has too few answered requests to bound it. " +
			"It takes requests as independent, which those of one queue are not, so it is too narrow under load.",
		"Output tokens are those ready during the steady window, whoever's they are.",
	}
	return t
}

// eachCell returns a function that makes a column of every cell, anchors included.
func eachCell(s *analysis.Sweep) func(of func(*analysis.CellMetrics) string) []string {
	all := s.All()
	return func(of func(*analysis.CellMetrics) string) []string {
		cells := make([]string, len(all))
		for i := range all {
			cells[i] = of(&all[i])
		}
		return cells
	}
}

func rungOf(c *analysis.CellMetrics) string { return CellRung(c.Cell.Key) }

// CellRung names the rung of a cell and, in brackets, which measurement of it the cell is,
// where there are several.
func CellRung(k results.Key) string {
	if again := againOf(k); again != "" {
		return fmt.Sprintf("%s (%s)", k.Rung, again)
	}
	return k.Rung
}

// againOf says which measurement a cell is, "" for the first.
func againOf(k results.Key) string {
	var parts []string
	if k.Anchor {
		parts = append(parts, "anchor")
	}
	if k.Replicate > 0 {
		parts = append(parts, fmt.Sprintf("replicate %d", k.Replicate))
	}
	return strings.Join(parts, ", ")
}

// seedOf names a cell's seed and which measurement of it the cell is.
func seedOf(k results.Key) string {
	text := fmt.Sprintf("seed %d", k.Seed)
	if again := againOf(k); again != "" {
		text += ", " + again
	}
	return text
}

// valid says whether a cell may be used and, if not, which checks say so; the notes
// of the summary have their words.
func valid(c *analysis.CellMetrics) string {
	if c.Valid() {
		return "yes"
	}
	return "INVALID: " + codes(c.Invalid, ", ")
}

func largestOf(s *analysis.Sweep, m analysis.Metric) float64 {
	largest := 0.0
	for _, c := range s.All() {
		if v := m.Of(&c); v.OK {
			largest = max(largest, v.V)
		}
	}
	return largest
}

func (s scale) interval(q stats.Quantile) string {
	if q.N == 0 {
		return table.Null
	}
	hi := "∞"
	if !math.IsInf(q.Hi, 1) {
		hi = s.format(q.Hi)
	}
	return fmt.Sprintf("%s [%s, %s]", s.bounded(q.Value, q.Censored), s.format(q.Lo), hi)
}

// Probes is the machine's speed before the cells of each rung.
func Probes(s *analysis.Sweep, f Facts) Table {
	rep := s.Probes()
	var rungs, cells, missing, decode, low, high, prefill []string
	sc := scaleOf(analysis.TokensPerS, 0)
	for _, r := range rep.Rungs {
		rungs = append(rungs, r.Rung)
		cells = append(cells, strconv.Itoa(r.Cells))
		missing = append(missing, strconv.Itoa(r.Missing))
		decode = append(decode, sc.mean(r.Decode))
		low = append(low, sc.mean(analysis.Range{N: r.Decode.N, Mean: r.Decode.Min}))
		high = append(high, sc.mean(analysis.Range{N: r.Decode.N, Mean: r.Decode.Max}))
		prefill = append(prefill, sc.mean(r.Prefill))
	}
	t := table.Of(f.title("The machine's speed before each cell, by rung"), f.Caption(), []table.Col{
		table.Left("rung", rungs), table.Right("cells", cells), table.Right("no probe", missing),
		table.Right("decode (tok/s)", decode), table.Right("min", low), table.Right("max", high), table.Right("prefill (tok/s)", prefill),
	})
	t.Fields = probeFields(rep.Rungs)
	if rep.Spread.OK {
		t.Notes = append(t.Notes, fmt.Sprintf("Over the whole sweep the decode probe varied by %s%% of its mean.", sig3(100*rep.Spread.V)))
	}
	if rep.Between.OK {
		t.Notes = append(t.Notes, fmt.Sprintf("The rungs' means differ by %s%%: a difference between rungs below that may be the machine's.", sig3(100*rep.Between.V)))
	}
	if rep.DriftOK {
		t.Notes = append(t.Notes, driftNote(rep))
	}
	t.Notes = append(t.Notes, "No cell is left out for its probe.")
	return t
}

// driftNote says whether the machine's speed has a trend over the sweep.
func driftNote(rep analysis.ProbeReport) string {
	unit, found := "an hour", "no drift is shown"
	if rep.PerCell {
		unit = "a cell"
	}
	switch d := rep.Drift; {
	case d.P < 0.05 && d.Slope < 0:
		found = "the machine became slower, which the rotated order of the rungs spreads over all of them"
	case d.P < 0.05:
		found = "the machine became faster, which the rotated order of the rungs spreads over all of them"
	}
	return fmt.Sprintf("Over the sweep the decode rate changed by %s of its mean %s %s (Theil–Sen, 95%%), Mann–Kendall p %s over %d probes averaged into %d that do not depend on their neighbours: %s.",
		growthText(rep.Drift.Slope), unit, growthSpan(rep.Drift.Lo, rep.Drift.Hi), shortP(rep.Drift.P), rep.Drift.N, rep.Drift.Blocks, found)
}

// shortP formats a chance with its relation.
func shortP(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return "= " + strconv.FormatFloat(p, 'f', 3, 64)
}
