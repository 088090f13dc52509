package analysis_test

import (
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

// One request a second for a minute, each answered after 400 ms, with an SLO of 500 ms.
// The first ten seconds are warm-up.
func ExampleMeasure() {
	cell := results.Cell{
		Key:       results.Key{Rung: "fifo", OfferedRPS: 1, Seed: 1},
		DurationS: 60, WarmupS: 10, SLOS: 0.5, TimeoutS: 30,
	}
	var recs []results.Record
	for i := range 60 {
		at := time.Duration(i) * time.Second
		end := at + 400*time.Millisecond
		recs = append(recs, results.Record{
			Request: int32(i), Intended: at, Sent: results.Some(at), Ended: results.Some(end),
			Outcome: results.Completed, Tokens: []time.Duration{end},
		})
	}
	m := analysis.Measure(cell, recs, analysis.Options{})
	fmt.Printf("%d of %d requests arrived in the steady window\n", m.Arrivals, m.Rows)
	fmt.Printf("goodput %g rps, E2E p50 %g s\n", m.GoodputRPS.V, m.E2E.P50.Value)
	// Output:
	// 50 of 60 requests arrived in the steady window
	// goodput 1 rps, E2E p50 0.4 s
}
