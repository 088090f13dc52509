package llamacpp_test

import (
	"testing"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/stretchr/testify/require"
)

// TestAccountedCellsCoverThoseInUse serves with too few cells, so that prefixes are
// evicted and requests preempted, and withdraws requests in every state, also while
// their rows are in flight. After each step (in serve) llama.cpp has no more cells in
// use than are accounted for. llama.cpp#24496, sgl-jax#982, vllm#41400.
func TestAccountedCellsCoverThoseInUse(t *testing.T) {
	reqs := requests(t, 24, 110, 24)
	for i := 4; i < len(reqs); i += 2 { // a hit on a whole prompt is copied on write
		q := reqs[i-3].Prompt
		q = q[:len(q)/16*16]
		reqs[i-3].Prompt, reqs[i].Prompt = q, q
	}
	want, gaps := alone(t, llamacpp.FlashAuto, reqs)
	tight, wide := prefix, inStreams(prefix)
	tight.Cells, tight.Optimism = 1280, 1
	wide.Cells, wide.Optimism = 1600, 1
	for _, s := range []schedule{
		{name: "unified", context: unified(30, 1280), config: engine.Config{Policy: prompts1st, Cache: tight}, every: 3, cancel: 9},
		{name: "streams", context: split(30, 512), config: engine.Config{Policy: prompts1st, Cache: wide}, cancel: 17},
	} {
		t.Run(s.name, func(t *testing.T) {
			got := s.serve(t, reqs)
			cancelled := 0
			for _, c := range got.cancelled {
				if c {
					cancelled++
				}
			}
			t.Logf("%d steps, %d cancelled, %d tokens evicted, %d computed again, %d blocks copied on write, at least %d cells to spare",
				got.steps, cancelled, got.kv.Evicted, got.kv.Recomputed-got.kv.Recovered, got.kv.Copied, got.slack)
			require.NotZero(t, cancelled)
			require.NotZero(t, got.kv.Hit)
			require.NotZero(t, got.kv.Evicted)
			require.NotZero(t, got.kv.Recomputed)
			require.Equal(t, s.context.KVUnified, got.kv.Copied > 0)
			diverge(want, got.answers, gaps).report(t, s.name)
		})
	}
}

// TestBackendSmallerThanAccounted gives the scheduler a backend with half the cells
// that it believes in. Each time that llama.cpp has no room the step is taken back
// and something given up, and every request ends with its own text. llama.cpp#23652,
// ollama#7949.
func TestBackendSmallerThanAccounted(t *testing.T) {
	reqs := requests(t, 24, 110, 24)
	want, gaps := alone(t, llamacpp.FlashAuto, reqs)
	s := schedule{
		name: "too small", context: unified(30, 768), cells: 1536, every: 2,
		config: engine.Config{Policy: continuous, Cache: prefix},
	}
	got := s.serve(t, reqs)
	t.Logf("%d steps, %d of them refused, %d requests preempted, %d tokens evicted", got.steps, got.noSlot, got.preempted, got.kv.Evicted)
	require.NotZero(t, got.noSlot)
	require.NotZero(t, got.preempted)
	diverge(want, got.answers, gaps).report(t, s.name)
}
