package calibrate

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/twin"
)

// truth is a cost model as of a machine of the kind that the project is built on.
func truth() twin.Cost {
	c := twin.Cost{Noise: twin.Noise{}}
	c.Seconds = [twin.NumTerms]float64{
		twin.Step: 2e-4, twin.Pass1: 2e-3, twin.Pass2: 1e-3, twin.Pass4: 3e-3, twin.Pass32: 4e-3,
		twin.Row2: 2e-3, twin.Row4: 8e-4, twin.Row32: 5e-4, twin.Output: 1e-4, twin.Stream: 2e-5,
		twin.AttendDecode: 4e-7, twin.AttendPrefill: 1e-7, twin.Copy: 2e-4, twin.CopyCell: 3e-7,
		twin.Remove: 1e-6, twin.ScanCell: 2e-9,
	}
	return c
}

func limits(seqs, seqCells, rows int) engine.Limits {
	return engine.Limits{Seqs: seqs, SeqCells: seqCells, Cells: seqs * seqCells, Rows: rows, Vocab: 1000}
}

func recorder(t *testing.T, lim engine.Limits, unified bool, cost twin.Cost, noisy bool) *Recorder {
	b, err := twin.New(twin.Config{Limits: lim, Unified: unified, Cost: cost, Noise: noisy, Seed: 1})
	require.NoError(t, err)
	return &Recorder{Backend: b, Meter: twin.NewMeter(lim, unified)}
}

// TestScriptIsValid runs scripts of random sizes on the twin, which refuses whatever
// llama.cpp would die of.
func TestScriptIsValid(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 12 {
		lim := limits(4+rng.IntN(60), 256*(1+rng.IntN(4)), 32+rng.IntN(500))
		plan := Plan{Unified: rng.IntN(2) == 0, Rounds: 1 + rng.IntN(2), Levels: 1 + rng.IntN(4), Seed: rng.Uint64()}
		if plan.Unified {
			plan.Context, lim.SeqCells = lim.SeqCells, lim.Cells
		}
		steps, err := Script(lim, plan)
		require.NoError(t, err)
		r := recorder(t, lim, plan.Unified, truth(), false)
		require.NoError(t, Run(context.Background(), r, steps), "%+v %+v", lim, plan)
		require.Len(t, r.Rows, len(steps))
		again, err := Script(lim, plan)
		require.NoError(t, err)
		require.Equal(t, steps, again)
	}
}

// TestScriptCovers: at the ladder's sizes every term varies, and each round has every
// kind of step, in another order.
func TestScriptCovers(t *testing.T) {
	lim := limits(72, 1280, 512)
	for _, unified := range []bool{false, true} {
		plan := Plan{Unified: unified, Rounds: 2, Levels: 5, Seed: 1}
		steps, err := Script(lim, plan)
		require.NoError(t, err)
		r := recorder(t, lim, unified, truth(), false)
		require.NoError(t, Run(context.Background(), r, steps))
		var seen [twin.NumTerms]map[float64]bool
		kinds := []map[Kind]int{{}, {}}
		widths := map[float64]bool{}
		for i := range r.Rows {
			row := &r.Rows[i]
			kinds[row.Round][row.Kind]++
			for term, w := range row.Work {
				if seen[term] == nil {
					seen[term] = map[float64]bool{}
				}
				seen[term][w] = true
			}
			if row.Kind == Decode {
				widths[row.Work[twin.AttendDecode]/row.Work[twin.Stream]] = true
			}
		}
		for term, values := range seen {
			want := 2
			switch twin.Term(term) {
			case twin.Step:
				want = 1
			case twin.CopyCell:
				if unified {
					want = 1
				}
			}
			require.GreaterOrEqual(t, len(values), want, "unified %t: %v", unified, twin.Term(term))
		}
		for _, k := range kinds {
			require.GreaterOrEqual(t, k[Decode], 5*len(decodeBatches))
			require.GreaterOrEqual(t, k[Prefill], 5*len(chunkSizes))
			require.GreaterOrEqual(t, k[Mixed], 5*len(chunkSizes))
			require.GreaterOrEqual(t, k[Hit], 5*3)
		}
		require.GreaterOrEqual(t, len(widths), 4)
	}
}

func TestScriptRefuses(t *testing.T) {
	_, err := Script(limits(3, 256, 64), Plan{Rounds: 1, Levels: 1})
	require.ErrorContains(t, err, "3 sequences")
	lim := limits(8, 512, 64)
	lim.Cells = 512
	_, err = Script(lim, Plan{Rounds: 1, Levels: 1})
	require.ErrorContains(t, err, "512 KV cells are too few")
}

// TestRunStops: an interrupt ends the script with the context's error.
func TestRunStops(t *testing.T) {
	lim := limits(8, 512, 64)
	steps, err := Script(lim, Plan{Rounds: 1, Levels: 1})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	r := recorder(t, lim, false, truth(), false)
	at := 0
	r.Meter = meterFunc(func(*engine.Batch) twin.Work {
		if at++; at == 30 {
			cancel()
			r.Abort() // as the context does, but not later
		}
		return twin.Work{}
	})
	require.ErrorIs(t, Run(ctx, r, steps), context.Canceled)
	require.Less(t, len(r.Rows), len(steps))
}

type meterFunc func(*engine.Batch) twin.Work

func (f meterFunc) Step(b *engine.Batch) twin.Work { return f(b) }
