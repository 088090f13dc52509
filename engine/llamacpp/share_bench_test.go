package llamacpp_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
)

// BenchmarkShareWait gives the time to the first token when 16 prompts of 560 tokens
// arrive at once, all or half of which begin with the same 540 while the others are
// unique: without waiting for a prefix that another is computing, then (wait-) with
// it. Both are run in turn, on one context; a ratio is waiting over not waiting, of
// the same run, so below 1 it pays.
func BenchmarkShareWait(b *testing.B) {
	b.Run("shared=16", func(b *testing.B) { benchShareWait(b, 16) })
	b.Run("shared=8", func(b *testing.B) { benchShareWait(b, 8) })
}

func benchShareWait(b *testing.B, shared int) {
	r := newRun(b, llamacpp.Params{Seqs: 2*burstSize + 1, SeqCells: 768, Rows: 512, Threads: *benchThreads, ThreadsBatch: *benchThreads, FlashAttn: llamacpp.FlashOn})
	var without, with burst
	for b.Loop() {
		without.run(r, shared, 0)
		with.run(r, shared, time.Minute)
	}
	for _, m := range []struct {
		unit string
		of   func(*burst) float64
	}{
		{"ttft-ms", (*burst).mean}, {"p99-ms", (*burst).p99}, {"prefill-tok", (*burst).perBurst},
	} {
		b.ReportMetric(m.of(&without), m.unit)
		b.ReportMetric(m.of(&with), "wait-"+m.unit)
	}
	b.ReportMetric(with.mean()/without.mean(), "ttft-ratio")
	b.ReportMetric(with.p99()/without.p99(), "p99-ratio")
}

const burstSize = 16

// burst collects what came of bursts that were served alike.
type burst struct {
	ttft      []time.Duration
	prefilled int // rows of prompts
	bursts    int
}

// run serves a burst as the rung with the prefix cache does, on a context that it
// empties first. The requests that share are evenly among the others.
func (s *burst) run(r *run, shared int, wait time.Duration) {
	const head, tail, output = 540, 20, 16
	for seq := range int32(r.Limits().Seqs) {
		r.remove(seq, 0, -1)
	}
	r.step()
	clk := clock.NewWall()
	eng, err := engine.New(clk, r.Context, engine.Config{
		Policy: engine.Policy{MaxBatch: burstSize, Refill: true, DecodeFirst: true, StepTokens: 512, ShareWait: wait},
		Cache:  engine.CacheConfig{Paged: true, Prefix: true, Streams: true},
		OnStep: func(i *engine.StepInfo) { s.prefilled += i.Prefill },
	})
	require.NoError(r, err)
	eng.OnIdle(clk.Stop)
	clk.At(0, func() {
		arrived := clk.Now()
		for id := range burstSize {
			prompt := tokens(head, 1000)
			if id%(burstSize/shared) != 0 {
				prompt = tokens(head, uint64(2000+id))
			}
			prompt = append(prompt, tokens(tail, uint64(id))...)
			eng.Submit(engine.Request{ID: id, Prompt: prompt, MaxTokens: output}, nil, &firstToken{s, arrived})
		}
	})
	require.NoError(r, clk.Run(r.TB.Context()))
	require.NoError(r, eng.Err())
	s.bursts++
	require.Len(r, s.ttft, s.bursts*burstSize)
}

func (s *burst) perBurst() float64 { return float64(s.prefilled) / float64(s.bursts) }

func (s *burst) mean() float64 {
	sum := time.Duration(0)
	for _, t := range s.ttft {
		sum += t
	}
	return sum.Seconds() * 1e3 / float64(len(s.ttft))
}

// p99 is the smallest TTFT that 99 in 100 are not above.
func (s *burst) p99() float64 {
	sorted := slices.Sorted(slices.Values(s.ttft))
	return sorted[(99*len(sorted)+99)/100-1].Seconds() * 1e3
}

// firstToken notes how long a request waited for its first token.
type firstToken struct {
	burst   *burst
	arrived time.Duration
}

func (f *firstToken) Started(time.Duration, int) {}
func (f *firstToken) Token(_ engine.Token, at time.Duration) {
	if f.burst != nil {
		f.burst.ttft = append(f.burst.ttft, at-f.arrived)
		f.burst = nil
	}
}
func (f *firstToken) Ended(error, time.Duration) {}
