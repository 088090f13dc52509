package baseline

import (
	"context"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/mutate"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// Prove runs the gate on the ladder as it is and with each of the mutations. The proof
// says whether it was red exactly when it should be.
func Prove(ctx context.Context, old gate.Baseline, cfg Config, mutations []mutate.Mutation) (gate.Proof, error) {
	var p gate.Proof
	for _, m := range append([]mutate.Mutation{unchanged}, mutations...) {
		t, err := try(ctx, old, cfg, m)
		if err != nil {
			return p, err
		}
		p.Trials = append(p.Trials, t)
	}
	return p, nil
}

// unchanged is no mistake: the whole ladder as it is.
var unchanged = mutate.Mutation{Name: "unchanged"}

// try runs the gate with a mutation, on the rung that it changes. Only an interrupt and a
// mutation that fits no rung are errors.
func try(ctx context.Context, old gate.Baseline, cfg Config, m mutate.Mutation) (gate.Trial, error) {
	t := gate.Trial{Name: m.Name, Mistake: m.Mistake, Catch: m.Catch}
	if m.Make != nil {
		var mutant *spec.Ladder
		var err error
		if mutant, t.Rung, err = m.Apply(cfg.Ladder); err != nil {
			return t, fault.Input.Wrap(err)
		}
		cfg.Ladder, cfg.Rungs = mutant, []string{t.Rung}
		old.Measured = old.Only(t.Rung)
		t.Want = gate.ExitRegression
	}
	got, err := Measure(ctx, cfg)
	if ctx.Err() != nil {
		return t, ctx.Err()
	}
	if err != nil {
		t.Failure, t.Exit = err.Error(), gate.ExitNotMeasurable
		return t, nil
	}
	t.Result = gate.Compare(old, got.Measured, gate.Budgets())
	t.Exit = t.Result.Verdict.Exit()
	return t, nil
}
