package main

import (
	"errors"
	"io/fs"

	"github.com/cadence-bench/cadence-bench/analysis/paired"
	"github.com/cadence-bench/cadence-bench/ladder/ab"
)

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
