package results

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// anyDecisions makes n decisions without regard to sense.
func anyDecisions(r *rand.Rand, n int) []DecisionRow {
	num := func() int32 { return []int32{-1, 0, 1, math.MaxInt32, r.Int32N(1000)}[r.IntN(5)] }
	at := func() time.Duration { return time.Duration([]int64{0, -1, r.Int64N(1e12)}[r.IntN(3)]) }
	works := func() (all []DecisionWork) {
		for range max(0, r.IntN(8)-3) {
			all = append(all, DecisionWork{num(), num(), num(), num(), at()})
		}
		return all
	}
	rows := make([]DecisionRow, n)
	for i := range rows {
		d := DecisionRow{
			Request: int32(i), Class: []string{"", "shared", "模型"}[r.IntN(3)], Arrived: at(), Deadline: at(), Prompt: num(), Cached: num(), Max: num(),
			At: at(), FreeKV: r.Float64(), MaxBatch: num(), StepLimit: num(), StepTime: at(), TokenRate: r.Float64() * 1e3, StepAge: at(),
			Queue: works(), Batch: works(), Admitted: r.IntN(2) == 0, Reason: "open", Regime: "idle",
		}
		for range max(0, r.IntN(8)-3) {
			d.Steps = append(d.Steps, DecisionStep{at(), at(), num(), num(), num(), num(), num()})
		}
		if r.IntN(2) == 0 {
			d.Threshold = Some(AdmissionThreshold{Theta: r.Float64(), Threshold: r.Float64(), At: "interior", RefusedBy: []string{"", "price"}[r.IntN(2)]})
		}
		if r.IntN(2) == 0 {
			d.Ended, d.Finished, d.Output, d.Waited = Some(at()), Some(r.IntN(2) == 0), Some(num()), Some(at())
			d.Violated, d.Dropped, d.Aborted = Some(r.IntN(2) == 0), Some(r.IntN(2) == 0), Some(r.IntN(2) == 0)
		}
		rows[i] = d
	}
	return rows
}

func TestDecisionsRoundTrip(t *testing.T) {
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 0))
		rows := anyDecisions(r, []int{0, 1, 2, 40, 400}[r.IntN(5)])
		path := filepath.Join(t.TempDir(), "decisions", "a.parquet")
		require.NoError(t, WriteDecisions(path, testCell(), rows))
		cell, got, err := ReadDecisions(path)
		require.NoError(t, err)
		require.Equal(t, testCell(), cell)
		require.Len(t, got, len(rows))
		for i := range rows {
			require.Equal(t, rows[i], got[i], "row %d", i)
		}
	}
}

// TestDecisionsAreNotACell: each kind of file is read as what it is only.
func TestDecisionsAreNotACell(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	require.NoError(t, WriteSteps(path, testCell(), nil))
	_, _, err := ReadDecisions(path)
	require.ErrorContains(t, err, "not a decision trace")
}
