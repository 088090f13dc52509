package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/ladder/mutate"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/report"
)

// prove runs the gate on the ladder as it is and with each of the mutations, and says
// whether it is red exactly when it should be.
func (f *gateFlags) prove(ctx context.Context, out io.Writer, old gate.Baseline, cfg gateConfig, mutations []mutate.Mutation) error {
	p := report.GateProof{Baseline: old}
	for _, m := range append([]mutate.Mutation{unchanged}, mutations...) {
		t, err := f.try(ctx, old, cfg, m)
		if err != nil {
			return err
		}
		p.Trials = append(p.Trials, t)
	}
	if err := f.print(out, &p); err != nil {
		return coded(exitWrite, err)
	}
	if problems := p.Problems(gate.Budgets()); len(problems) > 0 {
		return coded(exitRegression, fmt.Errorf("the gate is not proved: %s", p.Summary()))
	}
	return nil
}

// unchanged is no mistake: the whole ladder as it is.
var unchanged = mutate.Mutation{Name: "unchanged"}

// try runs the gate with a mutation, on the rung that it changes and as the command would,
// to its exit code. Only an interrupt and a full disk are errors.
func (f *gateFlags) try(ctx context.Context, old gate.Baseline, cfg gateConfig, m mutate.Mutation) (gate.Trial, error) {
	t := gate.Trial{Name: m.Name, Mistake: m.Mistake, Catch: m.Catch}
	if m.Make != nil {
		var mutant *spec.Ladder
		var err error
		if mutant, t.Rung, err = m.Apply(cfg.ladder); err != nil {
			return t, coded(exitInput, err)
		}
		cfg.ladder, cfg.rungs = mutant, []string{t.Rung}
		old.Measured = old.Only(t.Rung)
		t.Want = exitRegression
	}
	dir, err := os.MkdirTemp("", "cadence-gate-")
	if err != nil {
		return t, coded(exitWrite, err)
	}
	defer os.RemoveAll(dir)
	cfg.dir = filepath.Join(dir, "run")
	got, err := runGate(ctx, cfg)
	if err == nil {
		silent := gateFlags{baseline: f.baseline, format: "text"}
		t.Result = gate.Compare(old, got.Measured, gate.Budgets())
		err = silent.judge(io.Discard, old, got)
	} else {
		t.Failure = err.Error()
	}
	if ctx.Err() != nil {
		return t, err
	}
	t.Exit = exitCode(io.Discard, notRegression(err))
	if t.Exit == exitWrite {
		return t, err
	}
	return t, nil
}

// checkProve says what does not go with --prove.
func (f *gateFlags) checkProve() error {
	switch {
	case !f.proving:
		return nil
	case f.update:
		return errors.New("--prove: it compares with the baseline that is there; run --update before it")
	case f.out != "":
		return errors.New("--out: --prove makes many runs and keeps none")
	case f.format == "junit" || f.junit != "":
		return errors.New("--prove: it is given as text, markdown and json")
	}
	return nil
}
