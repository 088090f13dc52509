package main

import (
	"maps"
	"os"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/report"
)

// gateProofFile is what `make proof` keeps of `gate --prove`; a test makes it again.
const gateProofFile = "results/gate/proof.md"

// gateBlocks are the tables of docs/gate.md: what is judged, the kept proof that it
// catches mistakes, and those of the gate on the real engine.
func gateBlocks() (map[string]string, error) {
	proof, err := os.ReadFile(gateProofFile)
	if err != nil {
		return nil, coded(exitInput, err)
	}
	budgets := report.BudgetTable(gate.Budgets())
	blocks := map[string]string{budgets.Name: budgets.Markdown(), "gate-proof": string(proof)}
	onReal, err := realBlocks()
	if err != nil {
		return nil, err
	}
	maps.Copy(blocks, onReal)
	return blocks, nil
}
