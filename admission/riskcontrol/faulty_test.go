package riskcontrol

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/faulty"
)

// TestMistakesBreakThePromise: risk control makes up for most of a bound that is short, and
// when it hears of no violation nothing does.
func TestMistakesBreakThePromise(t *testing.T) {
	const alpha, lasts, from = 0.05, 300 * time.Second, 50 * time.Second
	rate := func(mistakes ...func(admission.Policy) admission.Policy) float64 {
		var p admission.Policy = controlled(t, alpha, work, 1)
		for _, wrong := range mistakes {
			p = wrong(p)
		}
		got := sumUp(serve(p, 2, 1, lasts), from, lasts, 200)
		return got.rate()
	}
	honest, short, broken := rate(), rate(faulty.ShortBound(0.3)), rate(faulty.ShortBound(0.3), faulty.NoLateLabels)
	require.Less(t, honest, short)
	require.LessOrEqual(t, short, alpha)
	require.Greater(t, broken, alpha)
}

// TestShortBound: the bound is short by the share, whatever was learnt, and a request is
// taken as if it had so much more of its SLO.
func TestShortBound(t *testing.T) {
	const short = 0.3
	honest, wrong := controlled(t, 0.05, work, 21), controlled(t, 0.05, work, 21)
	serve(honest, 1, 21, 60*time.Second)
	serve(wrong, 1, 21, 60*time.Second)
	wrapped := faulty.ShortBound(short)(wrong)
	s := &admission.Snapshot{Now: time.Minute, MaxBatch: 24, StepTokens: 512, FreeKV: 1}
	given := admission.Request{ID: 1e6, Class: "shared", Prompt: 550, MaxTokens: 300, Arrived: s.Now, Deadline: s.Now + 700*time.Millisecond}
	longer := given
	longer.Deadline = s.Now + time.Second
	want, got := honest.Decide(&longer, s), wrapped.Decide(&given, s)
	require.Positive(t, want.Bound)
	require.InEpsilon(t, (1-short)*want.Bound.Seconds(), got.Bound.Seconds(), 1e-6)
	require.InEpsilon(t, want.Chance, got.Chance, 1e-6)
}
