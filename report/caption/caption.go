// Package caption says where numbers come from: the facts of a run that every table and chart
// states, and how a cell, a model and a backend are called.
package caption

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/results"
)

// Facts are what every table and chart must say about where its numbers come
// from. A sweep that mixes several of one kind has them all.
type Facts struct {
	Backend  string
	Workload string
	Model    string
	SLO      string
	Window   string
	Seeds    int
}

// Of collects the facts of a sweep. The model's name is the manifest's.
func Of(s *analysis.Sweep, model string) Facts {
	all := func(of func(*analysis.CellMetrics) string) string {
		var distinct []string
		for i := range s.Cells {
			if v := of(&s.Cells[i]); v != "" && !slices.Contains(distinct, v) {
				distinct = append(distinct, v)
			}
		}
		return strings.Join(distinct, ", ")
	}
	f := Facts{
		Backend:  all(func(m *analysis.CellMetrics) string { return Backend(m.Cell.Backend) }),
		Workload: all(func(m *analysis.CellMetrics) string { return m.Cell.Workload }),
		Model:    model,
		SLO:      all(func(m *analysis.CellMetrics) string { return objectiveOf(m) }),
		Window:   all(func(m *analysis.CellMetrics) string { return m.Window.String() }),
	}
	seeds := map[uint64]bool{}
	for i := range s.Cells {
		seeds[s.Cells[i].Cell.Seed] = true
	}
	f.Seeds = len(seeds)
	return f
}

// objectiveOf states a cell's objective, and the one it was run with where that is another.
func objectiveOf(m *analysis.CellMetrics) string {
	if m.SLOS == m.Cell.SLOS {
		return format.Short(m.SLOS) + " s"
	}
	return fmt.Sprintf("%s s (of the run: %s s)", format.Short(m.SLOS), format.Short(m.Cell.SLOS))
}

// Backend names a backend so that a simulated figure cannot pass for a measured
// one.
func Backend(name string) string {
	if name == "twin" {
		return "twin (simulated)"
	}
	return name
}

// Title is a table's or chart's title. A simulated one says so even when it is taken
// out of its document.
func (f Facts) Title(s string) string { return Titled(s, f.Backend) }

// Titled adds the backend, as Backend names it, to the title of what is simulated.
func Titled(s, named string) string {
	if strings.Contains(named, Backend("twin")) {
		return s + ", backend=" + named
	}
	return s
}

// Caption states the facts in one line.
func (f Facts) Caption() string { return strings.Join(f.Parts(), " · ") }

// Parts are the facts, one by one.
func (f Facts) Parts() []string { return append(f.Measured(), format.Plural(f.Seeds, "seed")) }

// Measured is the facts but for the number of seeds.
func (f Facts) Measured() []string {
	parts := []string{"backend=" + f.Backend}
	for _, p := range []struct{ name, value string }{
		{"model", f.Model}, {"workload", f.Workload}, {"E2E SLO", f.SLO}, {"steady window:", f.Window},
	} {
		if p.value != "" {
			parts = append(parts, p.name+" "+p.value)
		}
	}
	return parts
}

// CellRung names the rung of a cell and, in brackets, which measurement of it the cell is,
// where there are several.
func CellRung(k results.Key) string {
	if which := repetition(k); which != "" {
		return fmt.Sprintf("%s (%s)", k.Rung, which)
	}
	return k.Rung
}

// repetition says which measurement a cell is, "" for the first.
func repetition(k results.Key) string {
	var parts []string
	if k.Anchor {
		parts = append(parts, "anchor")
	}
	if k.Replicate > 0 {
		parts = append(parts, fmt.Sprintf("replicate %d", k.Replicate))
	}
	return strings.Join(parts, ", ")
}

// Seed names a cell's seed and which measurement of it the cell is.
func Seed(k results.Key) string {
	text := fmt.Sprintf("seed %d", k.Seed)
	if which := repetition(k); which != "" {
		text += ", " + which
	}
	return text
}

// Model is what a report calls the model: its file without the extension.
func Model(m results.Manifest) string {
	return strings.TrimSuffix(m.Model.File, ".gguf")
}
