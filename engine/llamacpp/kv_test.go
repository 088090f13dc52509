package llamacpp_test

import (
	"testing"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/stretchr/testify/require"
)

// TestRemoveFreesCells cancels a sequence in mid-generation; its cells serve a
// request that needs them all. llama.cpp#24496, sgl-jax#984.
func TestRemoveFreesCells(t *testing.T) {
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			r := newRun(t, layout(2, 512))
			cells := r.Limits().SeqCells
			r.generate(0, tokens(100, 1), 10)
			require.Equal(t, int32(109), r.CacheNext(0))
			r.remove(0, 0, -1)
			r.step()
			require.Zero(t, r.CacheNext(0))
			require.Zero(t, r.Next(0))
			r.add(0, tokens(cells, 2)...)
			r.step()
			require.Equal(t, int32(cells), r.CacheNext(0))
		})
	}
}

// TestNoSlotLeavesState fills the cache until there is no room. The refused
// batch changes nothing, so that after one sequence is removed the same batch
// runs, and what was in the cache reads as before. llama.cpp#23652, ollama#7949.
func TestNoSlotLeavesState(t *testing.T) {
	r := newRun(t, unified(4, 512))
	require.Equal(t, 512, r.Limits().Cells)
	r.add(0, tokens(200, 1)...)
	first := r.step()[0]
	r.add(1, tokens(250, 2)...)
	r.step()

	for range 2 {
		r.add(2, tokens(100, 3)...)
		_, err := r.try()
		require.ErrorIs(t, err, engine.ErrNoSlot)
		require.Zero(t, r.CacheNext(2))
		require.Equal(t, []int32{200, 250, 0}, []int32{r.Next(0), r.Next(1), r.Next(2)})
	}

	r.remove(1, 0, -1)
	r.add(2, tokens(100, 3)...)
	r.step()
	require.Equal(t, int32(100), r.CacheNext(2))

	r.add(0, first)
	got := r.step()[0]
	r.remove(0, 0, -1)
	r.remove(2, 0, -1)
	want, _ := r.generate(0, tokens(200, 1), 2)
	require.Equal(t, want, []engine.Token{first, got})
}

// TestNoSlotPerSequence is the same where each sequence has cells of its own.
func TestNoSlotPerSequence(t *testing.T) {
	r := newRun(t, split(2, 256))
	r.add(0, tokens(256, 1)...)
	r.step()
	r.add(0, 5)
	_, err := r.try()
	require.ErrorIs(t, err, engine.ErrNoSlot)
	require.Equal(t, int32(256), r.Next(0))
	r.add(1, tokens(256, 1)...)
	r.step()
	r.remove(0, 200, -1)
	r.add(0, 5)
	r.step()
	require.Equal(t, int32(201), r.CacheNext(0))
}

// TestCopySequence reads a cached prefix through another sequence: its tail goes
// on as a cold run does, and the owner is as it was.
func TestCopySequence(t *testing.T) {
	prefix, tail := tokens(120, 1), tokens(15, 2)
	const kept = 100
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			r := newRun(t, layout(4, 1024))
			cold := append(append([]engine.Token{}, prefix[:kept]...), tail...)
			_, want := r.generate(3, cold, 6)
			owner, _ := r.generate(2, prefix, 2)
			r.remove(3, 0, -1)
			r.remove(2, 0, -1)

			r.add(0, prefix...)
			r.step()
			r.add(1, 400, 401) // the copy replaces what was there
			r.step()
			r.copy(0, 1)
			r.remove(1, kept, -1)
			r.add(1, tail...)
			r.step()
			require.Equal(t, int32(kept+len(tail)), r.CacheNext(1))
			var a agreement
			for i := range want {
				a.add(want[i], r.Logits(1))
				r.add(1, engine.Token(argmax(want[i])))
				r.step()
			}
			a.report(t, name)

			require.Equal(t, int32(len(prefix)), r.CacheNext(0))
			r.add(0, owner[0])
			require.Equal(t, owner[1], r.step()[0])
		})
	}
}

// TestEditsAlone: removals of what is not there do nothing, of a middle leave
// the end, and the table of ends follows the cache.
func TestEditsAlone(t *testing.T) {
	r := newRun(t, unified(3, 512))
	r.remove(0, 0, -1)
	r.remove(0, 5, 9)
	r.copy(1, 0)
	r.step()
	r.add(0, tokens(50, 1)...)
	r.step()
	for _, c := range []struct{ from, to, next int32 }{
		{60, -1, 50}, {10, 20, 50}, {45, 99, 45}, {20, -1, 10}, {-1, 0, 10}, {-5, -1, 0},
	} {
		r.remove(0, c.from, c.to)
		r.step()
		require.Equal(t, c.next, r.Next(0), "after removing %d to %d", c.from, c.to)
		require.Equal(t, c.next, r.CacheNext(0))
	}
}

// TestCellUse: what a step tells of its cells follows copies, trims, removals and
// refused rows, and is not told any more when a sequence has a hole.
func TestCellUse(t *testing.T) {
	r := newRun(t, split(4, 256))
	known := func(cells, top int) {
		t.Helper()
		require.Equal(t, engine.CellUse{Known: true, Cells: cells, Top: top}, r.res.Use)
	}
	r.add(0, tokens(100, 1)...)
	r.add(1, tokens(30, 2)...)
	r.step()
	known(130, 100)
	r.copy(0, 2)
	r.remove(2, 64, -1)
	r.add(1, 5)
	r.step()
	known(195, 31)
	r.copy(1, 0) // replaces what was there
	r.step()
	known(126, 0)
	r.add(2, tokens(192, 3)...)
	r.step()
	known(318, 256)
	r.remove(1, 0, -1)
	r.add(2, 5)
	_, err := r.try()
	require.ErrorIs(t, err, engine.ErrNoSlot)
	known(287, 0)
	r.remove(2, 10, 20)
	r.step()
	require.Zero(t, r.res.Use)
	r = newRun(t, unified(4, 512))
	r.add(0, tokens(10, 1)...)
	r.step()
	require.Zero(t, r.res.Use)
}

// TestCacheTypesKeepPrefixes: with every type of keys and values a copied prefix goes on as the sequence
// that it was copied from, and a quantised cache is smaller.
func TestCacheTypesKeepPrefixes(t *testing.T) {
	for _, name := range []string{"f32", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0"} {
		t.Run(name, func(t *testing.T) {
			kind, err := llamacpp.ParseCacheType(name)
			require.NoError(t, err)
			p := split(2, 512)
			p.TypeK, p.TypeV, p.FlashAttn = kind, kind, llamacpp.FlashOn
			r := newRun(t, p)
			prompt := tokens(130, 1)
			r.add(0, prompt[:129]...)
			r.step()
			r.copy(0, 1)
			r.add(0, prompt[129])
			first := r.step()
			r.add(1, prompt[129])
			require.Equal(t, first, r.step())
		})
	}
	q8, err := llamacpp.ParseCacheType("q8_0")
	require.NoError(t, err)
	p := split(2, 512)
	p.FlashAttn, p.TypeV = llamacpp.FlashOff, q8
	_, err = llamacpp.NewContext(llamatest.Open(t), p)
	require.ErrorContains(t, err, "--cache-type-v q8_0 needs flash attention")
}
