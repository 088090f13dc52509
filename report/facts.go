package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/format"
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

// FactsOf collects the facts of a sweep. The model's name is the manifest's.
func FactsOf(s *analysis.Sweep, model string) Facts {
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
		Backend:  all(func(m *analysis.CellMetrics) string { return backend(m.Cell.Backend) }),
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

// backend names a backend so that a simulated figure cannot pass for a measured
// one.
func backend(name string) string {
	if name == "twin" {
		return "twin (simulated)"
	}
	return name
}

// title is a table's or chart's title. A simulated one says so even when it is taken
// out of its document.
func (f Facts) title(s string) string { return titled(s, f.Backend) }

// titled adds the backend, as backend names it, to the title of what is simulated.
func titled(s, named string) string {
	if strings.Contains(named, backend("twin")) {
		return s + ", backend=" + named
	}
	return s
}

// Caption states the facts in one line.
func (f Facts) Caption() string { return strings.Join(f.parts(), " · ") }

func (f Facts) parts() []string { return append(f.measured(), plural(f.Seeds, "seed")) }

// measured is the facts but for the number of seeds.
func (f Facts) measured() []string {
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

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
