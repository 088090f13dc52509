package riskcontrol

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/predict"
)

// tireless is a work model that looks at everybody who waits.
type tireless struct{ *predict.WorkModel }

func (m tireless) Within(r *admission.Request, s *admission.Snapshot, _ float64, p *predict.Prediction) (int, float64, bool) {
	return 0, 0, m.Predict(r, s, p)
}

// TestLookingNoFurtherDecidesTheSame: in engines with up to thousands who wait, a policy that
// looks no further than its horizon decides as one that looks at them all, and says the
// same but for how late those would be whom it refuses.
func TestLookingNoFurtherDecidesTheSame(t *testing.T) {
	near := controlled(t, 0.05, work, 21)
	far := controlled(t, 0.05, func(e admission.Env) predict.Predictor { return tireless{predict.NewWorkModel(e)} }, 21)
	for _, p := range []*Policy{near, far} {
		serve(p, 3, 21, 60*time.Second)
	}
	r := rand.New(rand.NewPCG(21, 21))
	cut, forced := 0, 0
	for i := range 3000 {
		s := someSnapshot(r, 1+r.IntN(24), []int{0, 20, 100, 3000}[r.IntN(4)])
		s.Now += time.Duration(i) * 500 * time.Millisecond
		for _, works := range [][]admission.Work{s.Queue, s.Batch} {
			for j := range works {
				works[j].Deadline += s.Now - time.Minute - time.Duration(r.IntN(2e9)) // some have passed
			}
		}
		req := &admission.Request{ID: 1e6 + i, Class: "shared", Prompt: 550, Cached: r.IntN(500), MaxTokens: 16 + r.IntN(496), Arrived: s.Now - time.Duration(r.IntN(1e8))}
		req.Deadline = req.Arrived + testSLO
		a, b := near.Decide(req, s), far.Decide(req, s)
		a.Value[0] = b.Value[0] // what is left of its chance
		if near.left > 0 {
			cut++
			require.False(t, a.Admit && !a.Forced)
			require.LessOrEqual(t, near.next.predict.E2E[0], far.next.predict.E2E[0])
			require.Greater(t, a.Estimate, testSLO)
			a.Estimate, a.Bound, a.Chance, a.RetryAfter = b.Estimate, b.Bound, b.Chance, b.RetryAfter
		}
		if a.Forced {
			forced++
		}
		require.Equal(t, b, a)
		require.Equal(t, far.flights, near.flights)
		require.Equal(t, far.main, near.main)
		require.Equal(t, far.scarce, near.scarce)
	}
	require.Greater(t, cut, 500)
	require.Positive(t, forced)
	require.Equal(t, far.coin.Uint64(), near.coin.Uint64())
}

// TestWithinIsPredictUpToItsHorizon: what starts before the horizon is foreseen as if all
// were looked at.
func TestWithinIsPredictUpToItsHorizon(t *testing.T) {
	m, all := trained(t), trained(t)
	margins := []float64{0.9, 1.1, 1.3}
	r := rand.New(rand.NewPCG(22, 22))
	whole := 0
	for range 1000 {
		s := someSnapshot(r, r.IntN(25), r.IntN(2)*r.IntN(200))
		s.StepAge = time.Duration(r.IntN(2) * r.IntN(2e7))
		req := &admission.Request{Class: "unique", Prompt: 550, Cached: r.IntN(550), MaxTokens: 16 + r.IntN(496), Arrived: s.Now, Deadline: s.Now + testSLO}
		var p, q predict.Prediction
		left, behind, known := m.Within(req, s, 1.2*testSLO.Seconds(), &p)
		require.True(t, known)
		require.True(t, all.Predict(req, s, &q))
		require.Equal(t, left == 0, behind == 0)
		if left == 0 {
			whole++
			require.Equal(t, q, p)
		}
		for k := range p.N {
			require.LessOrEqual(t, p.E2E[k], q.E2E[k]+1e-9)
		}
		open, late, harm := m.Exposure(s, margins, 1000)
		wantOpen, wantLate, wantHarm := all.Exposure(s, margins, 1000)
		require.Equal(t, wantOpen, open)
		require.InDelta(t, wantLate, late, 1e-9)
		require.InDelta(t, wantHarm, harm, 1e-9)
	}
	require.Greater(t, whole, 100)
	require.Less(t, whole, 900)
}

// TestAtLeastIsTheChance: the short way to the answer gives the answer.
func TestAtLeastIsTheChance(t *testing.T) {
	p := controlled(t, 0.05, work, 23)
	serve(p, 2, 23, 60*time.Second)
	r := rand.New(rand.NewPCG(23, 23))
	yes := 0
	for range 2000 {
		s := someSnapshot(r, r.IntN(25), r.IntN(10))
		req := &admission.Request{Class: "unique", Prompt: 550, MaxTokens: 16 + r.IntN(496), Arrived: s.Now}
		var f predict.Prediction
		p.model.Predict(req, s, &f)
		regime, slo, bar := admission.Regime(r.IntN(admission.Regimes)), 3*r.Float64(), r.Float64()
		if r.IntN(2) == 0 {
			bar = p.cal.chance(regime, &f, slo)
		}
		want := p.cal.chance(regime, &f, slo) >= bar
		require.Equal(t, want, p.cal.atLeast(regime, &f, slo, bar))
		yes += int(boolean(want))
	}
	require.Greater(t, yes, 200)
	require.Less(t, yes, 1900)
}
