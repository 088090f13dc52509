package admission

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission/conformal"
)

// TestShortBound: everything that calibration says of a time is short by the share,
// whatever it learns.
func TestShortBound(t *testing.T) {
	const short = 0.3
	honest := newCalibration(conformal.LogRatio, 0.05, 400)
	faulty := newCalibration(conformal.LogRatio, 0.05, 400)
	faulty.faults = Faults{ShortBound: short}
	r := rand.New(rand.NewPCG(1, 2))
	var p Prediction
	p.point(2, 1)
	for range 300 {
		actual := 2 * (0.8 + 0.5*r.Float64())
		honest.learn(Queued, &p, actual, 20, true, 3)
		faulty.learn(Queued, &p, actual, 20, true, 3)
	}
	want, ok := honest.bound(Queued, &p)
	require.True(t, ok)
	got, ok := faulty.bound(Queued, &p)
	require.True(t, ok)
	require.InEpsilon(t, (1-short)*want, got, 1e-12)
	for _, s := range []float64{1, 1.5, 1.8, 2.5} {
		require.Equal(t, honest.chance(Queued, &p, s/(1-short)), faulty.chance(Queued, &p, s))
	}
	for i := range honest.margins[Queued] {
		require.InEpsilon(t, (1-short)*honest.margins[Queued][i], faulty.margins[Queued][i], 1e-12)
	}
}

// TestFaultsBreakThePromise: risk control makes up for most of a bound that is short, and
// when it hears of no violation nothing does.
func TestFaultsBreakThePromise(t *testing.T) {
	const alpha, lasts, from = 0.05, 300 * time.Second, 50 * time.Second
	rate := func(f Faults) float64 {
		p := controlled(t, alpha, work, 1)
		p.commit(f)
		got := sumUp(serve(p, 2, 1, lasts), from, lasts, 200)
		return got.rate()
	}
	honest, short, broken := rate(Faults{}), rate(Faults{ShortBound: 0.3}), rate(Faults{ShortBound: 0.3, NoLabels: true})
	require.Less(t, honest, short)
	require.LessOrEqual(t, short, alpha)
	require.Greater(t, broken, alpha)
}

func TestFaultsAreChecked(t *testing.T) {
	for _, bad := range []float64{-0.1, 1} {
		_, err := New(Spec{Policy: "conformal", Faults: Faults{ShortBound: bad}}, Env{SLO: testSLO, MaxBatch: 1, StepTokens: 1})
		require.ErrorContains(t, err, "a bound that is short by the share")
	}
}
