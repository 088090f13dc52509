package twin

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
)

var sequences = flag.Int("sequences", 300, "random programs per differential test")

// TestDifferential: after any edits and rows, and also when there was no room, a
// backend holds and answers what a cache kept cell by cell does, and its meter counts
// the passes that llama.cpp's split would make.
func TestDifferential(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(*sequences) {
		differ(t, rand.New(rand.NewPCG(seed, 11)), seen)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	var report strings.Builder
	for _, state := range []string{
		"step", "copy", "copy over a sequence", "copy that waits for rows", "trim", "edits alone", "no slot", "sequences moved",
		"several passes", "pass of 1", "pass of 2", "pass of 4", "pass of 32", "tiled attention", "attention by rows", "width above 256", "drawn by seed",
	} {
		fmt.Fprintf(&report, "\n  %-26s %8d", state, seen[state])
		require.NotZero(t, seen[state], "no program reached %q", state)
	}
	t.Logf("%d programs reached:%s", *sequences, report.String())
}

func differ(t *testing.T, rng *rand.Rand, seen map[string]int) {
	unified := rng.IntN(2) == 0
	lim := engine.Limits{Seqs: 1 + rng.IntN(9), SeqCells: 8 + rng.IntN(500), Rows: 4 + rng.IntN(200), Vocab: 1000}
	if rng.IntN(20) == 0 {
		lim.Rows = 700 // more than a pass takes
	}
	lim.Cells = lim.SeqCells * lim.Seqs
	if unified {
		lim.Cells = lim.SeqCells + rng.IntN(lim.Cells)
	}
	b, err := New(Config{Limits: lim, Unified: unified, Cost: flat()})
	require.NoError(t, err)
	ref, alone := newNaive(lim, unified), NewMeter(lim, unified)
	var res engine.StepResult
	for range 40 {
		batch := anyBatch(rng, lim, ref)
		want, fits := ref.step(batch)
		require.Equal(t, want, alone.Step(batch))
		err := b.Step(batch, &res)
		require.Equal(t, ref.use(batch.Rows, fits), res.Use)
		for seq := range int32(lim.Seqs) {
			require.Len(t, b.held[seq], len(ref.held(seq)))
		}
		see := func(state string, when bool) {
			if when {
				seen[state]++
			}
		}
		see("step", true)
		see("copy", want[Copy] > 0)
		see("edits alone", want[Step] == 0)
		see("copy that waits for rows", want[Step] == 0 && want[Copy] > 0 && !unified)
		see("sequences moved", want[Copy] > float64(len(batch.Ops)))
		for i := range batch.Ops {
			op := &batch.Ops[i]
			see("trim", op.Kind == engine.OpRemove && op.From > 0)
			see("copy over a sequence", op.Kind == engine.OpCopy && want[Remove] > float64(len(batch.Ops)-1))
		}
		if !fits {
			see("no slot", true)
			require.ErrorIs(t, err, engine.ErrNoSlot)
			require.Empty(t, res.Tokens)
			continue
		}
		require.NoError(t, err)
		passes := want[Pass1] + want[Pass2] + want[Pass4] + want[Pass32]
		see("several passes", passes > 1)
		see("pass of 1", want[Pass1] > 0)
		see("pass of 2", want[Pass2] > 0)
		see("pass of 4", want[Pass4] > 0)
		see("pass of 32", want[Pass32] > 0)
		see("tiled attention", want[AttendPrefill] > 0)
		see("attention by rows", want[AttendDecode] > 0)
		see("width above 256", want[AttendDecode]+want[AttendPrefill] > 256*float64(len(batch.Rows)))
		outputs := res.Tokens
		for i := range batch.Rows {
			r := &batch.Rows[i]
			if !r.Output {
				continue
			}
			see("drawn by seed", r.Sampling.Temperature > 0)
			held := ref.held(r.Seq)[:r.Pos+1]
			require.Equal(t, SoloSampled(held, 1, lim.Vocab, r.Sampling)[0], outputs[0])
			outputs = outputs[1:]
		}
		require.Empty(t, outputs)
	}
}

// anyBatch makes a batch that the backend may be given: edits, and rows that continue
// their sequences after these, though perhaps beyond their cells.
func anyBatch(rng *rand.Rand, lim engine.Limits, ref *naive) *engine.Batch {
	b := &engine.Batch{}
	length := make([]int, lim.Seqs)
	for seq := range length {
		length[seq] = len(ref.held(int32(seq)))
	}
	for range max(0, rng.IntN(6)-2) {
		seq := rng.IntN(lim.Seqs)
		switch src := rng.IntN(lim.Seqs); {
		case rng.IntN(2) == 0 && src != seq:
			b.Ops = append(b.Ops, engine.Op{Kind: engine.OpCopy, Src: int32(src), Seq: int32(seq)})
			length[seq] = length[src]
		default:
			from := 0
			if rng.IntN(2) == 0 {
				from = rng.IntN(length[seq] + 2)
			}
			b.Ops = append(b.Ops, engine.Op{Seq: int32(seq), From: int32(from), To: -1})
			length[seq] = min(length[seq], from)
		}
	}
	if rng.IntN(6) == 0 {
		return b
	}
	for _, seq := range rng.Perm(lim.Seqs)[:1+rng.IntN(lim.Seqs)] {
		n := 1
		if rng.IntN(3) == 0 {
			n = 1 + rng.IntN(lim.Rows)
		}
		if unifiedRoom := lim.SeqCells - length[seq]; ref.places == nil {
			n = min(n, unifiedRoom)
		}
		for range min(n, lim.Rows-len(b.Rows)) {
			row := engine.Row{Seq: int32(seq), Pos: int32(length[seq]), Token: engine.Token(rng.IntN(lim.Vocab)), Output: rng.IntN(3) == 0}
			if rng.IntN(3) == 0 {
				row.Sampling = engine.Sampling{Temperature: 1, Seed: rng.Uint64()}
			}
			b.Rows = append(b.Rows, row)
			length[seq]++
		}
	}
	return b
}
