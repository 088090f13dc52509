package figures

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/analysis/latency"
)

// TestCommittedRun: of a run that was measured on the real engine, every figure is what
// its rows say when they are counted in the plainest way.
func TestCommittedRun(t *testing.T) {
	run, err := analysis.Load(filepath.Join("..", "..", "results", "runs", "one-thread"), analysis.Options{})
	require.NoError(t, err)
	var cells Cells
	for i := range run.Cells {
		c := run.Cells[i].Cell
		records, err := run.Records(c.Key)
		require.NoError(t, err)
		rows, err := run.Steps(c.Key)
		require.NoError(t, err)
		require.NoError(t, cells.Add(c, records, rows))
	}
	read, decisions, err := cells.Measured(run.Manifest.Plan)
	require.NoError(t, err)
	require.Equal(t, run.Rungs, read.Provenance.Rungs)
	require.Len(t, read.Decisions, len(run.Cells))
	require.Len(t, decisions, len(run.Cells))
	for i := range run.Points {
		p := &run.Points[i]
		at := func(metric string) *gate.Figure {
			i := slices.IndexFunc(read.Figures, func(f gate.Figure) bool {
				return f.Rung == p.Rung && f.RateRPS == p.OfferedRPS && f.Metric == metric
			})
			if i < 0 {
				return nil
			}
			return &read.Figures[i]
		}
		var steps, copies, evicted, recomputed int64
		admitted, promised, violated := 0, 0, 0
		var worst []float64
		for _, c := range p.Cells {
			rows, err := run.Steps(c.Cell.Key)
			require.NoError(t, err)
			steps += c.Cell.Steps.Count
			for _, s := range rows {
				copies += int64(s.Copies)
				for _, e := range s.Evicted {
					evicted += int64(e.Tokens)
				}
				for _, a := range s.Admitted {
					if a.Again {
						recomputed += int64(a.Tokens) - int64(a.Cached)
					}
				}
			}
			records, err := run.Records(c.Cell.Key)
			require.NoError(t, err)
			for i := range records {
				r := &records[i]
				if r.Intended.Seconds() < c.Cell.WarmupS || r.Refused() {
					continue
				}
				e2e := latency.E2EOf(r, c.Cell.TimeoutS)
				admitted++
				worst = append(worst, e2e.Value)
				if r.Admission.OK && !r.Admission.V.Forced {
					promised++
					if e2e.Censored || e2e.Value > c.Cell.SLOS {
						violated++
					}
				}
			}
		}
		slices.Sort(worst)
		require.Equal(t, float64(steps), at(gate.Steps).Value)
		require.Equal(t, float64(copies), at(gate.Copies).Value)
		require.Equal(t, float64(evicted), at(gate.Evicted).Value)
		require.Equal(t, float64(recomputed), at(gate.Recomputed).Value)
		require.Equal(t, admitted, at(gate.E2EP99).N)
		if e2e := at(gate.E2EP99); !e2e.Bound {
			require.Equal(t, worst[(99*admitted+99)/100-1], e2e.Value)
		}
		require.LessOrEqual(t, at(gate.ITLP99).Value, at(gate.E2EP99).Value)
		if promised == 0 {
			require.Nil(t, at(gate.Violations))
			continue
		}
		require.Equal(t, promised, at(gate.Violations).N)
		require.InDelta(t, float64(violated)/float64(promised), at(gate.Violations).Value, 1e-12)
		require.NotNil(t, at(gate.Violations).Promise)
	}
	void := 0
	for i := range run.Cells {
		if !run.Cells[i].Valid() {
			void++
		}
	}
	require.Len(t, read.Void, void)
}
