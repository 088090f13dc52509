package admission

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission/conformal"
)

func TestGateNamesTheFirstLimit(t *testing.T) {
	const least = 0.2
	for _, c := range []struct {
		name               string
		theta, threshold   float64 // levels
		chance, harm, cost float64
		want               Limit
	}{
		{"no chance at all", 0.5, 0.5, 0.1, 0, 0, ByLeast},
		{"no chance at all, with the rest against it", 0.5, 0.9, 0.1, 1, 1, ByLeast},
		{"below θ", 0.5, 0.5, 0.4, 0, 0, ByTheta},
		{"below θ, and dear", 0.5, 0.6, 0.4, 0.2, 3, ByTheta},
		{"θ at its least", 0.2, 0.2, 0.3, 0.2, 0, ByHarm},
		{"harmful", 0.5, 0.5, 0.6, 0.2, 0, ByHarm},
		{"foreseen", 0.5, 0.8, 0.7, 0.1, 0, ByBrake},
		{"dear", 0.5, 0.8, 0.9, 0.05, 0.1, ByPrice},
		{"dear, where the open requests lower the threshold", 0.5, 0.3, 0.4, 0, 0.2, ByPrice},
		{"after a refusal", 0.5, 0.5, 0.6, 0, 0, ByHysteresis},
	} {
		g := Gate{Theta: theta(c.theta), Threshold: theta(c.threshold)}
		g.note(true, theta(least), c.chance, c.harm, c.cost)
		require.Equal(t, c.want, g.RefusedBy, c.name)
		g = Gate{Theta: theta(c.theta), Threshold: theta(c.threshold)}
		g.note(false, theta(least), c.chance, c.harm, c.cost)
		require.Equal(t, NoLimit, g.RefusedBy, c.name)
	}
}

func TestGateKnowsWhereThetaStands(t *testing.T) {
	r := conformal.Risk{Alpha: 0.1, Eta: 0.5, Min: 1, Max: 4, Theta: 1}
	require.Equal(t, Gate{Theta: 1, Threshold: 2, At: AtLeast}, gateOf(&r, 2))
	r.Theta = 2.5
	require.Equal(t, Gate{Theta: 2.5, Threshold: 2, At: Interior}, gateOf(&r, 2))
	r.Theta = 4.25 // a debt beyond
	require.Equal(t, Gate{Theta: 4, Threshold: 4, At: AtMost}, gateOf(&r, 4))
	require.Equal(t, "interior", Interior.String())
	require.Equal(t, "hysteresis", ByHysteresis.String())
}

// TestEveryDecisionOfControlledHasItsGate: at three times the load that fits, whatever the
// bound refuses names its limit, what it takes names none, and more than one limit is met.
func TestEveryDecisionOfControlledHasItsGate(t *testing.T) {
	p := controlled(t, 0.05, work, 12)
	met := map[Limit]int{}
	stood := map[Edge]int{}
	blind := 0
	for _, q := range serve(p, 9, 12, 120*time.Second) {
		g := &q.decision.Gate
		if g.At == NoTheta {
			require.False(t, q.decision.HasChance)
			blind++
			continue
		}
		stood[g.At]++
		met[g.RefusedBy]++
		byBound := q.decision.Admit && !q.decision.Forced
		require.Equal(t, byBound, g.RefusedBy == NoLimit)
		require.Equal(t, byBound, q.decision.Value[0] >= q.decision.Value[1])
		require.InDelta(t, g.Theta, min(max(g.Theta, p.main.Min), p.main.Max), 0)
	}
	require.Less(t, blind, 30, "until steps are known")
	require.Positive(t, met[NoLimit])
	require.Greater(t, len(met), 3, "%v", met)
	require.Positive(t, stood[Interior], "%v", stood)
}
