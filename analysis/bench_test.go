package analysis_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/results"
)

// BenchmarkMeasure is one cell of 1,000 requests of about 120 tokens.
func BenchmarkMeasure(b *testing.B) {
	rng := rand.New(rand.NewPCG(11, 12))
	c := analysistest.Cell()
	c.DurationS, c.OfferedRPS = 1000, 1
	var recs []results.Record
	for i := range 1000 {
		var tokens []time.Duration
		d := time.Duration(0)
		for range 1 + rng.IntN(240) {
			d += time.Duration(rng.Int64N(int64(50 * ms)))
			tokens = append(tokens, d)
		}
		recs = append(recs, analysistest.Row(i, time.Duration(i)*time.Second, results.Completed, tokens...))
	}
	for b.Loop() {
		analysis.Measure(c, recs, analysis.Options{})
	}
}
