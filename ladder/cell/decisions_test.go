package cell_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/predict"
	"github.com/cadence-bench/cadence-bench/admission/record"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestTracedDecisions: a rung with a policy has a decision for every request of the
// tape, and a policy that is told the recorded decisions again hears what the first
// one heard.
func TestTracedDecisions(t *testing.T) {
	m := &celltest.Machine{Name: "m1", Context: 4096}
	rungs := defaultRungs(t)
	rung := rungs[slices.IndexFunc(rungs, func(r spec.Rung) bool { return r.Name == "prefix" })]
	rung.Admission = admission.Spec{Policy: "none"}
	setup := cell.Setup{
		Key: results.Key{Rung: rung.Name, OfferedRPS: 4, Seed: 1}, Machine: m, Rung: rung, Shape: cell.ShapeFor([]spec.Rung{rung}, 2048),
		Config: cell.Config{
			Workload: loadgen.SharedPrompt, Stop: cell.StopScripted, Duration: 6 * time.Second, Warmup: time.Second,
			Timeout: 8 * time.Second, SLO: time.Second,
		},
		TraceDecisions: true,
	}
	tape, err := cell.NewTapes(m).At(&setup.Config, 4, 1, true)
	require.NoError(t, err)
	measured, err := setup.Run(t.Context(), tape)
	require.NoError(t, err)
	require.NotEmpty(t, measured.Records)
	rows := measured.Decisions
	require.Len(t, rows, len(measured.Records))

	path := filepath.Join(t.TempDir(), "d.parquet")
	require.NoError(t, results.WriteDecisions(path, measured.Cell, cell.DecisionRows(rows)))
	_, read, err := results.ReadDecisions(path)
	require.NoError(t, err)
	steps := 0
	for i, got := range cell.Decisions(read) {
		want := &rows[i]
		require.Equal(t, want.Request, got.Request)
		require.Equal(t, want.Steps, got.Steps)
		require.Equal(t, nameless(want.Snapshot.Batch), nameless(got.Snapshot.Batch))
		require.Equal(t, nameless(want.Snapshot.Queue), nameless(got.Snapshot.Queue))
		a, b := want.Snapshot, got.Snapshot
		a.Queue, a.Batch, b.Queue, b.Batch = nil, nil, nil, nil
		require.Equal(t, a, b)
		require.Equal(t, want.Outcome.At, got.Outcome.At)
		require.Equal(t, want.Outcome.Output, got.Outcome.Output)
		require.Equal(t, want.Finished(), got.Finished())
		steps += len(got.Steps)
	}
	require.Positive(t, steps)

	// A model that learns from the file predicts as one that learnt live would.
	live, again := predict.NewWorkModel(admission.Env{}), predict.NewWorkModel(admission.Env{})
	var heard [2][]float64
	for i, p := range []*predict.WorkModel{live, again} {
		b := record.Block{Rows: [][]record.Row{rows, cell.Decisions(read)}[i]}
		b.Replay(record.Listener{
			Step: p.Stepped,
			Decide: func(_ int, row *record.Row) {
				var pred predict.Prediction
				p.Predict(&row.Request, &row.Snapshot, &pred)
				heard[i] = append(heard[i], pred.Estimate())
			},
			End: func(_ int, row *record.Row) { p.Learn(&row.Outcome, &predict.Prediction{}) },
		})
	}
	require.Equal(t, heard[0], heard[1])
}

// nameless is work without the ids, which the file does not keep: no predictor looks at
// them.
func nameless(all []admission.Work) []admission.Work {
	kept := []admission.Work{}
	for _, w := range all {
		w.ID = 0
		kept = append(kept, w)
	}
	return kept
}
