package ladder

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/record"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestTracedDecisions: a rung with a policy has a decision for every request of the
// tape, and a policy that is told the recorded decisions again hears what the first
// one heard.
func TestTracedDecisions(t *testing.T) {
	s, _, _ := newSweep(filepath.Join(t.TempDir(), "run"))
	s.TraceDecisions = true
	cfg := smallConfig(t)
	rungs := Rungs()
	top := rungs[len(rungs)-1]
	for _, r := range rungs {
		if r.Name == "prefix" {
			top = r
		}
	}
	c := cellRun{m: s.Machine, cfg: cfg, rung: top, shape: ShapeFor([]spec.Rung{top}, 2048), tokens: newEncoder(s.Machine), recordDecisions: true}
	c.cfg.SLO, c.cfg.Seeds = 1e9, []uint64{1}
	c.rung.Admission = admission.Spec{Policy: "none"}
	key := results.Key{Rung: top.Name, OfferedRPS: 4, Seed: 1}
	_, hash, _, err := c.tokens.offered(&c.cfg, key.OfferedRPS, key.Seed, true)
	require.NoError(t, err)
	c.hash = hash
	cell, records, err := c.run(t.Context(), key)
	require.NoError(t, err)
	require.NotEmpty(t, records)
	require.NotNil(t, c.recorder)
	rows := c.recorder.Rows
	require.Len(t, rows, len(records))

	path := filepath.Join(t.TempDir(), "d.parquet")
	require.NoError(t, results.WriteDecisions(path, cell, decisionRows(rows)))
	_, read, err := results.ReadDecisions(path)
	require.NoError(t, err)
	steps := 0
	for i, got := range Decisions(read) {
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
	live, again := admission.NewWorkModel(admission.Env{}), admission.NewWorkModel(admission.Env{})
	var heard [2][]float64
	for i, p := range []*admission.WorkModel{live, again} {
		b := record.Block{Rows: [][]record.Row{rows, Decisions(read)}[i]}
		b.Replay(record.Listener{
			Step: p.Stepped,
			Decide: func(_ int, row *record.Row) {
				var pred admission.Prediction
				p.Predict(&row.Request, &row.Snapshot, &pred)
				heard[i] = append(heard[i], pred.Estimate())
			},
			End: func(_ int, row *record.Row) { p.Learn(&row.Outcome, &admission.Prediction{}) },
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
