package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/analysis/paired"
	"github.com/cadence-bench/cadence-bench/ladder/ab"
	"github.com/cadence-bench/cadence-bench/report"
)

// gateProofFile is what `make proof` keeps of `gate --prove`; a test makes it again.
const gateProofFile = "results/runs/gate/proof.md"

// gateBlocks are the tables of docs/gate.md: what is judged and, where they are kept, the
// proof that it catches mistakes and those of the gate on the real engine.
func gateBlocks() (map[string]string, error) {
	budgets := report.BudgetTable(gate.Budgets())
	blocks := map[string]string{budgets.Name: budgets.Markdown()}
	proof, err := os.ReadFile(gateProofFile)
	switch {
	case err == nil:
		blocks["gate-proof"] = string(proof)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, coded(exitInput, err)
	}
	onReal, err := realBlocks()
	if err != nil {
		return nil, err
	}
	maps.Copy(blocks, onReal)
	return blocks, nil
}

// realProofFolder is the kept proof of the gate on the real engine, which
// `gate --real --aa 20 --plant 10% --out` of it makes in twenty minutes.
const realProofFolder = "results/runs/gate/real"

// realBlocks are the tables of docs/gate.md about the gate on the real engine: its rule
// and, where the proof is kept, how often it was right.
func realBlocks() (map[string]string, error) {
	rule := ruleTable(paired.DefaultRule())
	blocks := map[string]string{rule.Name: rule.Markdown()}
	run, err := ab.Open(realProofFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return blocks, nil
	}
	if err != nil {
		return nil, coded(exitInput, err)
	}
	proof := realReportOf(run).proofTable()
	blocks[proof.Name] = proof.Markdown()
	return blocks, nil
}
