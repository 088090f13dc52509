package mutate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/ladder/mutate"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

func gateLadder(t *testing.T) *spec.Ladder {
	t.Helper()
	l, err := spec.Open("gate")
	require.NoError(t, err)
	return l
}

// TestEachChangesOneRung: a mutant is the same ladder but for one rung, and the ladder
// that it was made of is as it was.
func TestEachChangesOneRung(t *testing.T) {
	l := gateLadder(t)
	seen := map[string]bool{}
	for _, m := range mutate.Mutations() {
		require.False(t, seen[m.Name], m.Name)
		seen[m.Name] = true
		require.NotEmpty(t, m.Mistake)
		mutant, rung, err := m.Apply(l)
		require.NoError(t, err)
		require.Equal(t, gateLadder(t), l)
		require.Equal(t, l.SHA256(), mutant.SHA256(), "it passes for the same file")
		var changed []string
		for i := range l.Rungs {
			require.Equal(t, l.Rungs[i].Name, mutant.Rungs[i].Name)
			if s := mutant.Rungs[i].Settings; len(spec.Changes(l.Rungs[i].Settings, s)) > 0 ||
				s.Cache.Wrap != nil || s.Admission.Wrap != nil {
				changed = append(changed, mutant.Rungs[i].Name)
			}
			require.NoError(t, mutant.Rungs[i].Policy.Check(), m.Name)
			require.NoError(t, mutant.Rungs[i].Cache.Check(), m.Name)
		}
		require.Equal(t, []string{rung}, changed, m.Name)
	}
}

// TestEveryBudgetIsCaught: each metric with a budget is one that some mistake must move.
func TestEveryBudgetIsCaught(t *testing.T) {
	named := map[string]bool{}
	for _, m := range mutate.Mutations() {
		require.NotEmpty(t, m.Catch, m.Name)
		for _, metric := range m.Catch {
			named[metric] = true
		}
	}
	for _, b := range gate.Budgets() {
		require.True(t, named[b.Metric], b.Metric)
		delete(named, b.Metric)
	}
	require.Empty(t, named, "no budget has these metrics")
}

func TestNothingToMutate(t *testing.T) {
	l, err := spec.Open("arms")
	require.NoError(t, err)
	for _, m := range mutate.Mutations() {
		if m.Name == "early-publish" {
			_, _, err := m.Apply(l)
			require.ErrorContains(t, err, `ladder arms has no rung to make the mistake "early-publish" on`)
		}
	}
}
