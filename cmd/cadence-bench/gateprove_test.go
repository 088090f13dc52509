package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/ladder/mutate"
)

// TestGateIsProved: against the committed baseline the gate is green as it is, red with
// every mistake, and every metric with a budget catches one.
func TestGateIsProved(t *testing.T) {
	var out bytes.Buffer
	markdown := filepath.Join(t.TempDir(), "proof.md")
	err := run(t.Context(), &out, io.Discard, []string{
		"gate", "--prove", "--format", "json", "--markdown", markdown, "--baseline", filepath.Join("..", "..", "results", "runs", "gate", "baseline.json"),
	})
	require.Equal(t, exitOK, exitCode(io.Discard, err), "%v\n%s", err, &out)
	got, err := os.ReadFile(markdown)
	require.NoError(t, err)
	kept, err := os.ReadFile(filepath.Join("..", "..", "results", "runs", "gate", "proof.md"))
	require.NoError(t, err)
	require.Equal(t, string(kept), string(got), "run make proof")
	var proof struct {
		Proved   bool
		Problems []string
		Trials   []struct {
			Name   string
			Exit   int
			Caught []struct{ Metric string } `json:"caught_by"`
		}
		Metrics []struct {
			Metric string
			Named  []string `json:"is_there_for"`
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &proof))
	require.True(t, proof.Proved)
	require.Empty(t, proof.Problems)
	require.Len(t, proof.Trials, 1+len(mutate.Mutations()))
	for i, trial := range proof.Trials {
		require.Equal(t, min(i, 1), trial.Exit, trial.Name)
		require.Equal(t, i > 0, len(trial.Caught) > 0, trial.Name)
	}
	require.Len(t, proof.Metrics, len(gate.Budgets()))
	for _, m := range proof.Metrics {
		require.NotEmpty(t, m.Named, m.Metric)
	}
}

func TestProveFlags(t *testing.T) {
	for want, flags := range map[string][]string{
		"--prove: it compares with the baseline that is there": {"--update", "--reason", "x"},
		"--out: --prove makes many runs and keeps none":        {"--out", "x"},
		"--prove: it is given as text, markdown and json":      {"--format", "junit"},
		"there is no baseline":                                 {"--baseline", "none.json"},
	} {
		err := run(t.Context(), io.Discard, io.Discard, append([]string{"gate", "--prove"}, flags...))
		require.Equal(t, gate.ExitNotMeasurable, exitCode(io.Discard, err))
		require.ErrorContains(t, err, want)
	}
}
