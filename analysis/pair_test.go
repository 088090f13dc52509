package analysis

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// pairedCell is a cell of n requests, ten a second, after two seconds of warm-up.
func pairedCell(seed uint64, n int) results.Cell {
	c := cell()
	c.Key.Seed, c.Key.OfferedRPS, c.TapeHash = seed, 10, "tape"
	c.DurationS = 2 + float64(n)/10
	return c
}

// answers are n completed requests whose E2E latencies in seconds are given, each with
// five tokens, the first at three tenths of it.
func answers(e2e []float64) []results.Record {
	var recs []results.Record
	for i, s := range e2e {
		d := func(share float64) time.Duration { return time.Duration(s * share * 1e9) }
		r := row(i, 2*time.Second+time.Duration(i)*100*ms, results.Completed, d(0.3), d(0.5), d(0.6), d(0.9), d(1))
		r.CachedTokens = results.Some(int32(i % 100))
		recs = append(recs, r)
	}
	return recs
}

// autoregressive is a stationary series of standard deviation 1.
func autoregressive(r *rand.Rand, n int, rho float64) []float64 {
	x := make([]float64, n)
	x[0] = r.NormFloat64()
	for i := 1; i < n; i++ {
		x[i] = rho*x[i-1] + math.Sqrt(1-rho*rho)*r.NormFloat64()
	}
	return x
}

// queue is a series of dependent latencies around half a second.
func queue(r *rand.Rand, n int) []float64 {
	e2e := autoregressive(r, n, 0.6)
	for i := range e2e {
		e2e[i] = 0.5 * math.Exp(0.5*e2e[i])
	}
	return e2e
}

// against compares rows of several seeds.
func against(a, b [][]results.Record, contrasts []Contrast, resamples int) Versus {
	var cells []Partners
	var pairs []*requestPairs
	for i := range a {
		c := pairedCell(uint64(i+1), len(a[i]))
		left, right := Measure(c, a[i], Options{}), Measure(c, b[i], Options{})
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

// mixed are rows with every outcome.
func mixed(r *rand.Rand, n int) []results.Record {
	recs := answers(queue(r, n))
	for i := range recs {
		at := recs[i].Intended
		switch r.IntN(8) {
		case 0:
			recs[i] = row(i, at, results.TimedOut)
		case 1:
			recs[i] = row(i, at, results.Shed)
		case 2:
			recs[i] = row(i, at, results.TimedOut, 400*ms)
		case 3:
			recs[i] = row(i, at, results.Failed)
		}
	}
	return recs
}

// TestPairedSidesAreTheTables: each side of a comparison is the number that the
// tables have, censored ones and all.
func TestPairedSidesAreTheTables(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(1, seed))
		a, b := mixed(r, 60), mixed(r, 60)
		// A request of the warm-up ends in the window.
		a = append(a, row(60, time.Second, results.Completed, 500*ms, 1500*ms, 2500*ms))
		b = append(b, row(60, time.Second, results.Completed, 100*ms, 200*ms))
		c := pairedCell(1, 60)
		left, right := Measure(c, a, Options{}), Measure(c, b, Options{})
		p := pairRequests(Partners{&left, &right}, a, b)
		require.Equal(t, 60, p.n)
		for _, contrast := range Contrasts() {
			if contrast.of == nil {
				continue
			}
			for _, side := range []struct{ table, paired Value }{
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
			want := Value{V: q.Value, OK: q.N > 0, Bound: q.Censored, Thin: q.N > 0 && stats.Rank(p, q.N) == q.N}
			require.Equal(t, want, ranked.quantile(p, times), "seed %d, p %g", seed, p)
		}
	}
}

// TestUnansweredPairsAreInOrder, by hand: what is not answered is never sooner than
// what is, and refusing does not look fast.
func TestUnansweredPairsAreInOrder(t *testing.T) {
	at := func(i int) time.Duration { return 2*time.Second + time.Duration(i)*100*ms }
	done := func(i int, after time.Duration) results.Record { return row(i, at(i), results.Completed, after) }
	out := func(i int) results.Record { return row(i, at(i), results.TimedOut) }
	a := []results.Record{done(0, 1*time.Second), done(1, 2*time.Second), done(2, 3*time.Second), out(3), out(4), done(5, 1*time.Second)}
	b := []results.Record{done(0, 500*ms), out(1), row(2, at(2), results.Shed), done(3, 4*time.Second), out(4), done(5, 1*time.Second)}
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
		a = append(a, row(i, 2*time.Second+time.Duration(i)*100*ms, results.TimedOut))
		b = append(b, a[i])
		if r.IntN(4) > 0 {
			b[i] = row(i, a[i].Intended, results.Completed, 100*ms, 500*ms)
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
