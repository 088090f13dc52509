package riskcontrol

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/conformal"
)

func TestThresholdNamesTheFirstLimit(t *testing.T) {
	const least = 0.2
	for _, c := range []struct {
		name               string
		theta, threshold   float64 // levels
		chance, harm, cost float64
		want               admission.Limit
	}{
		{"no chance at all", 0.5, 0.5, 0.1, 0, 0, admission.ByLeast},
		{"no chance at all, with the rest against it", 0.5, 0.9, 0.1, 1, 1, admission.ByLeast},
		{"below θ", 0.5, 0.5, 0.4, 0, 0, admission.ByTheta},
		{"below θ, and dear", 0.5, 0.6, 0.4, 0.2, 3, admission.ByTheta},
		{"θ at its least", 0.2, 0.2, 0.3, 0.2, 0, admission.ByHarm},
		{"harmful", 0.5, 0.5, 0.6, 0.2, 0, admission.ByHarm},
		{"foreseen", 0.5, 0.8, 0.7, 0.1, 0, admission.ByBrake},
		{"dear", 0.5, 0.8, 0.9, 0.05, 0.1, admission.ByPrice},
		{"dear, where the open requests lower the threshold", 0.5, 0.3, 0.4, 0, 0.2, admission.ByPrice},
		{"after a refusal", 0.5, 0.5, 0.6, 0, 0, admission.ByHysteresis},
	} {
		g := admission.Threshold{Theta: theta(c.theta), InForce: theta(c.threshold)}
		note(&g, true, theta(least), c.chance, c.harm, c.cost)
		require.Equal(t, c.want, g.RefusedBy, c.name)
		g = admission.Threshold{Theta: theta(c.theta), InForce: theta(c.threshold)}
		note(&g, false, theta(least), c.chance, c.harm, c.cost)
		require.Equal(t, admission.NoLimit, g.RefusedBy, c.name)
	}
}

func TestThresholdKnowsWhereThetaStands(t *testing.T) {
	r := conformal.Risk{Alpha: 0.1, Eta: 0.5, Min: 1, Max: 4, Theta: 1}
	require.Equal(t, admission.Threshold{Theta: 1, InForce: 2, At: admission.AtLeast}, thresholdOf(&r, 2))
	r.Theta = 2.5
	require.Equal(t, admission.Threshold{Theta: 2.5, InForce: 2, At: admission.Interior}, thresholdOf(&r, 2))
	r.Theta = 4.25 // a debt beyond
	require.Equal(t, admission.Threshold{Theta: 4, InForce: 4, At: admission.AtMost}, thresholdOf(&r, 4))
	require.Equal(t, "interior", admission.Interior.String())
	require.Equal(t, "hysteresis", admission.ByHysteresis.String())
}

// TestEveryDecisionHasItsThreshold: at three times the load that fits, whatever the
// bound refuses names its limit, what it takes names none, and more than one limit is met.
func TestEveryDecisionHasItsThreshold(t *testing.T) {
	p := controlled(t, 0.05, work, 12)
	met := map[admission.Limit]int{}
	stood := map[admission.Edge]int{}
	blind := 0
	for _, q := range serve(p, 9, 12, 120*time.Second) {
		g := &q.decision.Threshold
		if g.At == admission.NoTheta {
			require.False(t, q.decision.HasChance)
			blind++
			continue
		}
		stood[g.At]++
		met[g.RefusedBy]++
		byBound := q.decision.Admit && !q.decision.Forced
		require.Equal(t, byBound, g.RefusedBy == admission.NoLimit)
		require.Equal(t, byBound, q.decision.Value[0] >= q.decision.Value[1])
		require.InDelta(t, g.Theta, min(max(g.Theta, p.main.Min), p.main.Max), 0)
	}
	require.Less(t, blind, 30, "until steps are known")
	require.Positive(t, met[admission.NoLimit])
	require.Greater(t, len(met), 3, "%v", met)
	require.Positive(t, stood[admission.Interior], "%v", stood)
}
