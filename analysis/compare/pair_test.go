package compare

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// against compares rows of several seeds.
func against(a, b [][]results.Record, contrasts []Contrast, resamples int) Versus {
	var cells []Partners
	var pairs []*requestPairs
	for i := range a {
		c := analysistest.PairedCell(uint64(i+1), len(a[i]))
		left, right := analysis.Measure(c, a[i], analysis.Options{}), analysis.Measure(c, b[i], analysis.Options{})
		cells = append(cells, Partners{&left, &right})
		pairs = append(pairs, pairRequests(cells[i], a[i], b[i]))
	}
	return versusOf(cells, pairs, contrasts, resamples)
}

// chosen are the contrasts with these keys.
func chosen(keys ...string) []Contrast {
	var cs []Contrast
	for _, c := range Contrasts() {
		for _, key := range keys {
			if c.Key == key {
				cs = append(cs, c)
			}
		}
	}
	return cs
}

// TestPairedSidesAreTheTables: each side of a comparison is the number that the
// tables have, censored ones and all.
func TestPairedSidesAreTheTables(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(1, seed))
		a, b := analysistest.Mixed(r, 60), analysistest.Mixed(r, 60)
		// A request of the warm-up ends in the window.
		a = append(a, analysistest.Row(60, time.Second, results.Completed, 500*time.Millisecond, 1500*time.Millisecond, 2500*time.Millisecond))
		b = append(b, analysistest.Row(60, time.Second, results.Completed, 100*time.Millisecond, 200*time.Millisecond))
		c := analysistest.PairedCell(1, 60)
		left, right := analysis.Measure(c, a, analysis.Options{}), analysis.Measure(c, b, analysis.Options{})
		p := pairRequests(Partners{&left, &right}, a, b)
		require.Equal(t, 60, p.n)
		for _, contrast := range Contrasts() {
			if contrast.of == nil {
				continue
			}
			for _, side := range []struct{ table, paired analysis.Value }{
				{contrast.Of(&left), contrast.of(&p.a, unitCounts(p.n))}, {contrast.Of(&right), contrast.of(&p.b, unitCounts(p.n))},
			} {
				side.table.Thin, side.paired.Thin = false, false // which has a rule of its own on each side
				require.Equal(t, side.table, side.paired, contrast.Key)
			}
		}
	}
}

func TestWeightedQuantileIsThatOfTheDrawnSample(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(2, seed))
		n := 1 + r.IntN(30)
		var o owned
		times := make([]int32, n)
		var drawn []stats.Observation
		for i := range n {
			times[i] = int32(r.IntN(3))
			for range r.IntN(4) {
				one := stats.Observation{Value: float64(r.IntN(12)), Censored: r.IntN(4) == 0}
				o.add(i, one)
				for range times[i] {
					drawn = append(drawn, one)
				}
			}
		}
		ranked, sample := o.rank(), stats.NewSample(drawn)
		for _, p := range []float64{0.01, 0.25, 0.5, 0.9, 0.99} {
			q := sample.Quantile(p)
			want := analysis.Value{V: q.Value, OK: q.N > 0, Bound: q.Censored, Thin: q.N > 0 && stats.Rank(p, q.N) == q.N}
			require.Equal(t, want, ranked.quantile(p, times), "seed %d, p %g", seed, p)
		}
	}
}

// TestUnansweredPairsAreInOrder, by hand: what is not answered is never sooner than
// what is, and refusing does not look fast.
func TestUnansweredPairsAreInOrder(t *testing.T) {
	at := func(i int) time.Duration { return 2*time.Second + time.Duration(i)*100*time.Millisecond }
	done := func(i int, after time.Duration) results.Record {
		return analysistest.Row(i, at(i), results.Completed, after)
	}
	out := func(i int) results.Record { return analysistest.Row(i, at(i), results.TimedOut) }
	a := []results.Record{done(0, 1*time.Second), done(1, 2*time.Second), done(2, 3*time.Second), out(3), out(4), done(5, 1*time.Second)}
	b := []results.Record{done(0, 500*time.Millisecond), out(1), analysistest.Row(2, at(2), results.Shed), done(3, 4*time.Second), out(4), done(5, 1*time.Second)}
	v := against([][]results.Record{a}, [][]results.Record{b}, chosen("e2e_paired_s"), 10)
	require.Equal(t, Duel{Sooner: 2, Later: 2, Tie: 1, Unresolved: 1}, v.E2E)
	require.Equal(t, Good{Both: 2}, Good{Both: v.Good.Both, OnlyA: v.Good.OnlyA, OnlyB: v.Good.OnlyB})
	require.Equal(t, 4, v.Good.Neither)
	// Lower ends −∞, −∞, −0.5, 0, 2, 3; upper ends −1, −0.5, 0, ∞, ∞, ∞.
	require.Equal(t, -0.25, v.Deltas[0].Point.Lo)
	require.Equal(t, math.Inf(1), v.Deltas[0].Point.Hi)
	require.Equal(t, CannotTell, v.Deltas[0].Finding)
}

func TestBothUnansweredLeavesAQuantileOpen(t *testing.T) {
	var a, b []results.Record
	r := rand.New(rand.NewPCG(9, 9))
	for i := range 60 {
		a = append(a, analysistest.Row(i, 2*time.Second+time.Duration(i)*100*time.Millisecond, results.TimedOut))
		b = append(b, a[i])
		if r.IntN(4) > 0 {
			b[i] = analysistest.Row(i, a[i].Intended, results.Completed, 100*time.Millisecond, 500*time.Millisecond)
		}
	}
	p50 := chosen("e2e_p50_s")
	v := against([][]results.Record{a, a}, [][]results.Record{a, a}, p50, 50)
	require.Equal(t, stats.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}, v.Deltas[0].Point)
	require.Equal(t, CannotTell, v.Deltas[0].Finding)
	require.Equal(t, "unanswered requests leave it open", v.Deltas[0].Reason)

	v = against([][]results.Record{a, a}, [][]results.Record{b, b}, p50, 50)
	require.Equal(t, BetterThan, v.Deltas[0].Finding, "half a second is less than more than five")
	require.InDelta(t, math.Log(0.1), v.Deltas[0].Interval.Hi, 1e-9)
	require.Equal(t, math.Inf(-1), v.Deltas[0].Interval.Lo)
}
