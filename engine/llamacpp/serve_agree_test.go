package llamacpp_test

import (
	"slices"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/stretchr/testify/require"
)

// alone decodes every request by itself, its prompt in one step, and gives the
// answers and how far the best logit was above the second for each token.
func alone(t testing.TB, flash llamacpp.FlashAttn, reqs []engine.Request) (answers [][]engine.Token, gaps [][]float64) {
	p := split(1, 1024)
	p.FlashAttn = flash
	r := newRun(t, p)
	for _, q := range reqs {
		var toks []engine.Token
		var gap []float64
		r.add(0, q.Prompt...)
		for range q.MaxTokens {
			tok := r.step()[0]
			toks, gap = append(toks, tok), append(gap, topGap(r.Logits(1)))
			r.add(0, tok)
		}
		r.batch.Rows = r.batch.Rows[:0]
		r.remove(0, 0, -1)
		r.step()
		answers, gaps = append(answers, toks), append(gaps, gap)
	}
	return answers, gaps
}

func topGap(x []float32) float64 {
	at := argmax(x)
	second := x[(at+1)%len(x)]
	for i, v := range x {
		if i != at && v > second {
			second = v
		}
	}
	return float64(x[at] - second)
}

// divergence is what the schedule did to the answers.
type divergence struct {
	requests int
	first    []int     // the first token that differs, of each request that diverges
	gap      []float64 // there, how far the best logit was above the second
}

func diverge(want, got [][]engine.Token, gaps [][]float64) (d divergence) {
	for i := range want {
		d.requests++
		n := min(len(want[i]), len(got[i]))
		for j := range n {
			if want[i][j] != got[i][j] {
				d.first, d.gap = append(d.first, j), append(d.gap, gaps[i][j])
				break
			}
		}
	}
	return d
}

// nearTie bounds the gap at which a schedule may change the choice. The noise of a
// logit difference, measured in package gguf, is at most 0.053.
const nearTie = 0.15

// report logs the divergence and requires that rounding explains it: a near-tie at
// each first difference, and few of them. A cell of another request, or a wrong
// prefix, changes logits by units, and in every answer that it reaches.
func (d divergence) report(t testing.TB, name string) {
	t.Helper()
	if len(d.first) == 0 {
		t.Logf("%-28s %d of %d requests identical", name, d.requests, d.requests)
		return
	}
	at := slices.Clone(d.first)
	slices.Sort(at)
	t.Logf("%-28s %d of %d requests identical; the others diverge first at token %d, the median one at %d, where the best logit leads by %.4f at most",
		name, d.requests-len(d.first), d.requests, at[0], at[len(at)/2], slices.Max(d.gap))
	require.Less(t, slices.Max(d.gap), nearTie, name)
	require.GreaterOrEqual(t, 10*(d.requests-len(d.first)), 6*d.requests, name)
}

var (
	continuous = engine.Policy{MaxBatch: 8, Refill: true, DecodeFirst: true, StepTokens: 128}
	prompts1st = engine.Policy{MaxBatch: 8, Refill: true, StepTokens: 512, PrefillTokens: 64}
	one        = engine.Policy{MaxBatch: 1, Refill: true, StepTokens: 512}

	contiguous = engine.CacheConfig{BlockTokens: 1}
	paged      = engine.CacheConfig{Paged: true, BlockTokens: 16}
	prefix     = engine.CacheConfig{Paged: true, BlockTokens: 16, Prefix: true}
)

// inStreams is a cache on a backend that is not unified.
func inStreams(c engine.CacheConfig) engine.CacheConfig { c.Streams = true; return c }

// TestScheduleDoesNotChangeText serves the same requests with the prefix cache and
// without, paged and contiguous, in one cache and in streams, beside others and not,
// and compares the answers with those of each request alone. llama.cpp#27148,
// vllm#29387.
func TestScheduleDoesNotChangeText(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	reqs := requests(t, 20, 110, 48)
	sized := func(flash llamacpp.FlashAttn, layout func(seqs, cells int) llamacpp.Params, seqs, cells int) llamacpp.Params {
		p := layout(seqs, cells)
		p.FlashAttn = flash
		return p
	}
	for _, flash := range []llamacpp.FlashAttn{llamacpp.FlashOn, llamacpp.FlashOff} {
		t.Run("flash "+flash.String(), func(t *testing.T) {
			want, gaps := alone(t, flash, reqs)
			uni, str := sized(flash, unified, 24, 4096), sized(flash, split, 24, 512)
			tight := prefix
			tight.Cells, tight.Optimism = 1600, 1
			all := []schedule{
				{name: "unified, contiguous", context: uni, config: engine.Config{Policy: continuous, Cache: contiguous}, every: 3},
				{name: "unified, prefix", context: uni, config: engine.Config{Policy: continuous, Cache: prefix}, every: 3},
				{name: "unified, prefix, tight", context: uni, config: engine.Config{Policy: prompts1st, Cache: tight}},
				{name: "streams, paged", context: str, config: engine.Config{Policy: prompts1st, Cache: inStreams(paged)}},
				{name: "streams, prefix", context: str, config: engine.Config{Policy: continuous, Cache: inStreams(prefix)}, every: 3},
				{name: "streams, prefix, one a time", context: str, config: engine.Config{Policy: one, Cache: inStreams(prefix)}},
			}
			if flash == llamacpp.FlashOff {
				all = []schedule{all[1]}
			}
			for _, s := range all {
				got := s.serve(t, reqs)
				require.Equal(t, s.config.Cache.Prefix, got.kv.Hit > 0, s.name)
				diverge(want, got.answers, gaps).report(t, s.name)
				t.Logf("%28s %d steps, %d of %d prompt tokens cached, %d evicted, %d computed again, cells accounted for beyond those in use: at least %d",
					"", got.steps, got.kv.Hit, got.kv.Lookup, got.kv.Evicted, got.kv.Recomputed-got.kv.Recovered, got.slack)
			}
		})
	}
}
