package paired

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// machine gives how long the same work takes, segment after segment, in logarithms.
type machine func(r *rand.Rand) func() float64

// machines are models of noise: those that a shared machine has, and worse.
var machines = map[string]machine{
	"white": func(r *rand.Rand) func() float64 { return func() float64 { return 0.035 * r.NormFloat64() } },
	"drift": func(r *rand.Rand) func() float64 {
		at := 0.0 // the machine's pace wanders, without end
		return func() float64 { at += 0.03 * r.NormFloat64(); return at }
	},
	"trend": func(r *rand.Rand) func() float64 {
		at := 0.0 // each segment is 2% slower than the one before
		return func() float64 { at += 0.02; return at + 0.01*r.NormFloat64() }
	},
	"heavy tails": func(r *rand.Rand) func() float64 {
		return func() float64 { return 0.02 * r.NormFloat64() / math.Max(1e-3, math.Abs(r.NormFloat64())) }
	},
	"stalls": func(r *rand.Rand) func() float64 {
		return func() float64 {
			v := 0.02 * r.NormFloat64()
			if r.Float64() < 0.1 {
				v += r.ExpFloat64() // the neighbour has the machine for a while
			}
			return v
		}
	},
	"two speeds": func(r *rand.Rand) func() float64 {
		slow := false
		return func() float64 {
			if r.Float64() < 0.15 {
				slow = !slow
			}
			if slow {
				return 0.5 + 0.02*r.NormFloat64()
			}
			return 0.02 * r.NormFloat64()
		}
	},
}

// experiment draws the pairs of one gate, B being slower by the given share.
func experiment(m machine, slowdown float64, pairs int, seed uint64) []float64 {
	next := m(rand.New(rand.NewPCG(seed, 99)))
	d := make([]float64, pairs)
	for i, order := range Orders(pairs, 2, seed) {
		var side [2]float64
		for _, arm := range order {
			side[arm] = next()
		}
		d[i] = side[1] + math.Log1p(slowdown) - side[0]
	}
	return d
}

// rates are the shares of the verdicts over many gates, and of lower bounds above 0.
func rates(m machine, rule Rule, slowdown float64, pairs, gates int) (share map[Verdict]float64, above float64) {
	share = map[Verdict]float64{}
	for seed := range uint64(gates) {
		j := rule.Judge(experiment(m, slowdown, pairs, seed))
		share[j.Verdict] += 1 / float64(gates)
		if j.Slowdown.Lower > 0 {
			above += 1 / float64(gates)
		}
	}
	return share, above
}

// Whatever the noise, a program is seldom called slower than itself. Even the lower
// bound alone, without the estimate having to reach the margin, keeps to 5%.
func TestFalsePositivesUnderEveryNoise(t *testing.T) {
	const gates = 4000
	rule := DefaultRule()
	// Three standard errors of a share of 5% among so many.
	most := 0.05 + 3*math.Sqrt(0.05*0.95/gates)
	for name, m := range machines {
		for _, pairs := range []int{5, 10, 20} {
			share, above := rates(m, rule, 0, pairs, gates)
			require.LessOrEqual(t, above, most, "%s, %d pairs", name, pairs)
			require.LessOrEqual(t, share[Regression], above, "%s, %d pairs", name, pairs)
		}
	}
}

// The other error: a B that is slower by exactly the margin seldom passes.
func TestFalsePassesUnderEveryNoise(t *testing.T) {
	const gates = 4000
	rule := DefaultRule()
	most := 0.05 + 3*math.Sqrt(0.05*0.95/gates)
	for name, m := range machines {
		share, _ := rates(m, rule, rule.Margin, 10, gates)
		require.LessOrEqual(t, share[Pass], most, name)
	}
}

// The noise of the machine that the gate was made on: a pair scatters by 5%.
func TestTenPercentIsFound(t *testing.T) {
	rule := DefaultRule()
	share, _ := rates(machines["white"], rule, 0.10, 10, 2000)
	require.Greater(t, share[Regression], 0.95)
	require.Less(t, share[Pass], 0.001)
	share, _ = rates(machines["white"], rule, 0, 10, 2000)
	require.Greater(t, share[Pass], 0.75)
	require.Less(t, share[Regression], 0.005)
	share, _ = rates(machines["stalls"], rule, 0.10, 10, 2000)
	require.Greater(t, share[Regression], 0.6, "stalls in one segment of ten")
}

// The smallest detectable slowdown is called a regression with about the chance that is
// claimed: the scatter from which it is computed is known to no better than 10 pairs tell.
func TestSmallestIsFoundAsOftenAsClaimed(t *testing.T) {
	rule := DefaultRule()
	const gates = 2000
	for _, pairs := range []int{10, 20, 40} {
		smallest := 0.0
		for seed := range uint64(gates) {
			smallest += rule.Judge(experiment(machines["white"], 0, pairs, seed)).Smallest / gates
		}
		share, _ := rates(machines["white"], rule, smallest, pairs, gates)
		require.InDelta(t, rule.Power, share[Regression], 0.1, "%d pairs, %.3f", pairs, smallest)
	}
}
