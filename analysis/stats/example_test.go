package stats_test

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
)

// Two of ten requests were given up after 30 s. They count as slower than all that were
// answered, so the median stands, and the 99th percentile is only known to be above 30 s.
func ExampleSample_Quantile() {
	var e2e []stats.Observation
	for i := range 8 {
		e2e = append(e2e, stats.Observation{Value: float64(i+1) / 10})
	}
	gaveUp := stats.Observation{Value: 30, Censored: true}
	s := stats.NewSample(append(e2e, gaveUp, gaveUp))
	for _, p := range []float64{0.5, 0.99} {
		q := s.Quantile(p)
		fmt.Printf("p%g: %g s, at least: %v; %d observations of the %d that an upper bound needs\n", 100*p, q.Value, q.Censored, q.N, q.Need)
	}
	// Output:
	// p50: 0.5 s, at least: false; 10 observations of the 6 that an upper bound needs
	// p99: 30 s, at least: true; 10 observations of the 368 that an upper bound needs
}

// A queue that grows by two requests a minute, measured each minute.
func ExampleTrendOf() {
	minutes := []float64{0, 1, 2, 3, 4, 5}
	owed := []float64{1, 3, 5, 7, 9, 11}
	t, ok := stats.TrendOf(minutes, owed)
	fmt.Printf("%v: %g a minute, p = %.4f\n", ok, t.Slope, t.P)
	// Output: true: 2 a minute, p = 0.0028
}

// Two of twenty requests were late.
func ExampleClopperPearson() {
	lo, hi := stats.ClopperPearson(2, 20, 0.025)
	fmt.Printf("%.0f%% [%.1f, %.1f]\n", 100*2.0/20, 100*lo, 100*hi)
	// Output: 10% [1.2, 31.7]
}
