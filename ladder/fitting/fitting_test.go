package fitting

import (
	"strings"
	"testing"

	"github.com/cadence-bench/cadence-bench/admission/fit"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/ladder/artifact"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestFitTables: a golden of the tables, with what may be missing in them.
func TestFitTables(t *testing.T) {
	r := artifact.Record{
		Backend: "twin", Model: "m", Workload: "shared-prompt", SLOS: 2, Rates: []float64{1, 2.5}, Seeds: []uint64{1, 2, 3}, HeldOut: "seed",
		Folds: 3, Blocks: 6, Requests: 600, NotEnded: 2, Importance: []artifact.Importance{{Feature: "free KV share", Median: 0.625, Upper: 0.25}},
	}
	for i, s := range fit.Subjects() {
		for k, level := range fit.Levels() {
			for n, regime := range append([]string{"all"}, regimeNames()...) {
				j := fit.Judgement{Subject: s.Name, Level: level, Regime: regime, Requests: 100 * (4 - n), Unbounded: i}
				if n < 3 {
					x := level - 0.001*float64(i+k)
					j.Coverage, j.Low, j.High = results.Some(x), results.Some(x-0.02), results.Some(x+0.005)
					j.Width, j.Pinball = results.Some(1.5+float64(k)), results.Some(0.25)
				} else {
					j.Requests = 0
				}
				r.Judgements = append(r.Judgements, j)
				if regime == "all" {
					r.ByRate = append(r.ByRate, j)
				}
			}
		}
	}
	var b strings.Builder
	for _, table := range Tables(&r) {
		b.WriteString(table.Markdown() + "\n")
	}
	golden.Equal(t, "fit.md", b.String())
}
