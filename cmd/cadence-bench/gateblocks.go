package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/report"
)

// gateProofFile is what `make proof` keeps of `gate --prove`; a test makes it again.
const gateProofFile = "results/gate/proof.md"

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
