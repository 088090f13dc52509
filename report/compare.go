package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Compared is everything that is said about two arms.
type Compared struct {
	Differing Table // between the manifests
	Speed     Table // of the machine beside each
	Count     Table // how many findings of each kind, by metric
	Deltas    Table
	Pairs     Table // what became of the same requests
}

// Tables returns all of them, in the order in which they are shown.
func (c Compared) Tables() []Table { return []Table{c.Differing, c.Speed, c.Count, c.Deltas, c.Pairs} }

// CompareOf makes the tables of a comparison of parts of two runs, by their manifests.
func CompareOf(c *analysis.Comparison, a, b results.Manifest) Compared {
	f := comparedFacts(c, a, b)
	return Compared{differing(c, f, analysis.Differences(a, b)), speed(c, f), counts(c, f), deltas(c, f), duels(c, f)}
}

func comparedFacts(c *analysis.Comparison, a, b results.Manifest) Facts {
	var cells []analysis.CellMetrics
	for _, p := range c.Matching.Pairs {
		cells = append(cells, *p.A, *p.B)
	}
	model := ModelName(a)
	if other := ModelName(b); other != model {
		model += ", " + other
	}
	return FactsOf(analysis.NewSweep(cells, nil), model)
}

func differing(c *analysis.Comparison, f Facts, ds []analysis.Difference) Table {
	t := Table{
		Title: f.title(fmt.Sprintf("B (%s) against A (%s)", c.B, c.A)), Caption: f.Caption(),
		Columns: []Column{{Name: "what differs", Left: true}, {Name: "A", Left: true}, {Name: "B", Left: true}},
	}
	for _, d := range ds {
		t.Rows = append(t.Rows, []string{d.What, orNull(d.A), orNull(d.B)})
	}
	if p := c.Matching.Pairs[0]; p.A.Cell.Rung != p.B.Cell.Rung {
		t.Rows = append(t.Rows, []string{"rung", p.A.Cell.Rung, p.B.Cell.Rung})
	}
	if len(t.Rows) == 0 {
		t.Rows = [][]string{{"nothing", table.Null, table.Null}}
	}
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

func orNull(s string) string {
	if s == "" {
		return table.Null
	}
	return s
}

// slos reports whether partners have different SLOs.
func slos(c *analysis.Comparison) bool {
	for _, p := range c.Matching.Pairs {
		if p.A.SLOS != p.B.SLOS {
			return true
		}
	}
	return false
}

func speed(c *analysis.Comparison, f Facts) Table {
	sc := scaleOf(analysis.TokensPerS, 0)
	row := func(name string, s analysis.Speed) []string {
		return []string{name, fmt.Sprint(len(c.Matching.Pairs)), sc.spread(s.Decode), sc.spread(s.Prefill)}
	}
	t := Table{
		Title: f.title("The machine's speed before the compared cells"), Caption: "mean (min–max) of the probes",
		Columns: []Column{{Name: "", Left: true}, {Name: "cells"}, {Name: "decode (tok/s)"}, {Name: "prefill (tok/s)"}},
		Rows:    [][]string{row("A", c.SpeedA), row("B", c.SpeedB)},
	}
	if a, b := c.SpeedA.Decode, c.SpeedB.Decode; a.N > 0 && b.N > 0 && a.Mean > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("The idle machine decoded %s as fast before B's cells as before A's (%s prefill).",
			times(b.Mean/a.Mean), times(c.SpeedB.Prefill.Mean/c.SpeedA.Prefill.Mean)))
	}
	switch {
	case c.Interleaved:
		t.Notes = append(t.Notes, "A and B were measured in one sweep, in turn.")
	case strings.Contains(f.Backend, backend("twin")):
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
	return sig3(ratio) + " times"
}

// counts is one row per metric.
func counts(c *analysis.Comparison, f Facts) Table {
	t := Table{Title: f.title("Findings of B against A"), Columns: []Column{{Name: "metric", Left: true}}}
	for _, v := range analysis.Findings() {
		t.Columns = append(t.Columns, Column{Name: string(v)})
	}
	total := 0
	for _, key := range metricsOf(c) {
		n := map[analysis.Finding]int{}
		label := ""
		for _, p := range c.Points {
			for _, d := range p.Deltas {
				if d.Key == key {
					n[d.Finding]++
					label = d.Label
				}
			}
		}
		row := []string{label}
		for _, v := range analysis.Findings() {
			row = append(row, fmt.Sprint(n[v]))
		}
		total += n[analysis.BetterThan] + n[analysis.WorseThan] + n[analysis.NoDifference]
		t.Rows = append(t.Rows, row)
	}
	t.Caption = "how many rungs and rates"
	if total > 1 {
		t.Notes = []string{fmt.Sprintf("At 95%% each, about %s of %d findings would be of a difference if there were none at all.", short(0.05*float64(total)), total)}
	}
	return t
}

// metricsOf lists the keys of what was compared, in the order of the contrasts.
func metricsOf(c *analysis.Comparison) []string {
	found := map[string]bool{}
	for _, p := range c.Points {
		for _, d := range p.Deltas {
			found[d.Key] = true
		}
	}
	var keys []string
	for _, contrast := range analysis.Contrasts() {
		if found[contrast.Key] {
			keys = append(keys, contrast.Key)
		}
	}
	return keys
}

// versus names the rungs of a point.
func versus(p analysis.Versus) string {
	if p.RungA == p.RungB {
		return p.RungA
	}
	return p.RungB + " vs " + p.RungA
}

// duels is one row per rung and rate: what became of the same requests.
func duels(c *analysis.Comparison, f Facts) Table {
	var rung, rate, seeds, pairs, block, e2e, ttft, good []string
	for _, p := range c.Points {
		rung, rate = append(rung, versus(p)), append(rate, short(p.OfferedRPS))
		seeds, pairs, block = append(seeds, fmt.Sprint(len(p.Seeds))), append(pairs, fmt.Sprint(p.Requests)), append(block, fmt.Sprint(p.Block))
		e2e, ttft = append(e2e, duel(p.E2E)), append(ttft, duel(p.TTFT))
		good = append(good, fmt.Sprintf("%d / %d / %d / %d", p.Good.OnlyB, p.Good.OnlyA, p.Good.Both, p.Good.Neither))
	}
	t := table.Of(f.title("The same requests in A and B"), f.Caption(), []table.Col{
		table.Left("rung", rung), table.Right("offered (rps)", rate), table.Right("seeds", seeds), table.Right("pairs", pairs), table.Right("block", block),
		table.Right("E2E in B sooner / later / equal / open", e2e), table.Right("TTFT sooner / later / equal / open", ttft),
		table.Right("within the SLO in B only / A only / both / neither", good),
	})
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

func duel(d analysis.Duel) string {
	n := d.Sooner + d.Later + d.Tie + d.Unresolved
	if n == 0 {
		return table.Null
	}
	share := func(k int) string { return fmt.Sprintf("%.0f%%", 100*float64(k)/float64(n)) }
	return strings.Join([]string{share(d.Sooner), share(d.Later), share(d.Tie), share(d.Unresolved)}, " / ")
}
