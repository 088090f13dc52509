package ladder

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
)

// TestSurvey: the upper rungs are faster on a machine on which rows share a step, the
// rates bracket what each of them serves, and every load is seen, step by step.
func TestSurvey(t *testing.T) {
	m := &celltest.Machine{Context: 4096}
	rungs, err := Select(nil)
	require.NoError(t, err)
	trial, err := NewTrial(m, rungs)
	require.NoError(t, err)
	require.Equal(t, 72, trial.Shape.Seqs)
	require.Greater(t, trial.Shape.SeqCells, trial.LongestPrompt)
	b, err := m.Open(trial.Shape)
	require.NoError(t, err)
	var loads []string
	steps := map[string]int{}
	s := Survey{
		Machine: m, Rungs: rungs, Limit: 4 * time.Second,
		Begin: func(what string) { loads = append(loads, what) },
		Step:  func(*engine.StepInfo) { steps[loads[len(loads)-1]]++ },
	}
	got, err := s.Run(t.Context(), b, trial)
	require.NoError(t, err)
	require.Equal(t, []string{
		"fifo, one at a time", "static, full", "continuous, full", "continuous, a few together", "prefix, full", "prefix, a few together",
	}, loads)
	for _, load := range loads {
		require.Greater(t, steps[load], 10, load)
	}
	require.Len(t, got.Rungs, 4)
	for i, r := range got.Rungs {
		require.Equal(t, rungs[i].Name, r.Rung)
		require.Greater(t, r.RPS, got.Rates[0])
		require.Less(t, r.RPS, got.Rates[len(got.Rates)-1])
		require.GreaterOrEqual(t, r.RPS, got.Rungs[0].RPS)
	}
	require.Greater(t, got.Rungs[3].RPS, got.Rungs[2].RPS)
	require.Len(t, got.Rates, surveyRates)
	require.Greater(t, got.SLO, 200*time.Millisecond)
	require.GreaterOrEqual(t, got.Served, idleMinimum)
}

func TestSurveyStops(t *testing.T) {
	m := &celltest.Machine{Context: 4096}
	rungs, err := Select(nil)
	require.NoError(t, err)
	trial, err := NewTrial(m, rungs)
	require.NoError(t, err)
	b, err := m.Open(trial.Shape)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	s := Survey{Machine: m, Rungs: rungs, Limit: time.Second, Begin: func(string) { cancel() }}
	_, err = s.Run(ctx, b, trial)
	require.ErrorIs(t, err, context.Canceled)
}
