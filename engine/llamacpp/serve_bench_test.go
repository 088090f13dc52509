package llamacpp_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
)

// nobody observes a request that only the engine's own figures matter of.
type nobody struct{}

func (nobody) Started(time.Duration, int)        {}
func (nobody) Token(engine.Token, time.Duration) {}
func (nobody) Ended(err error, _ time.Duration)  {}

// BenchmarkEngineHost gives everything that a decode step of the whole engine
// costs outside llama.cpp's decode: building the batch and sampling, and on the
// loop committing, planning and handing over. Set CADENCE_MODEL for another
// model.
func BenchmarkEngineHost(b *testing.B) {
	for _, n := range []int{1, 8, 24} {
		b.Run(fmt.Sprintf("batch=%d", n), func(b *testing.B) {
			const prompt, output = 64, 192
			var sum engine.Stats
			for b.Loop() {
				r := newRun(b, llamacpp.Params{Seqs: n, SeqCells: 256, Rows: 512, Threads: 1, ThreadsBatch: *benchThreads, FlashAttn: llamacpp.FlashOn})
				clk := clock.NewWall()
				eng, err := engine.New(clk, r.Context, engine.Config{Policy: engine.Policy{MaxBatch: n, Refill: true, DecodeFirst: true, StepTokens: 512}})
				require.NoError(b, err)
				eng.OnIdle(clk.Stop)
				clk.At(0, func() {
					for id := range n {
						eng.Submit(engine.Request{ID: id, Prompt: tokens(prompt, uint64(id)), MaxTokens: output}, nil, nobody{})
					}
				})
				require.NoError(b, clk.Run(b.Context()))
				require.NoError(b, eng.Err())
				s := eng.Stats()
				sum.Steps += s.Steps
				sum.Host += s.Host
				sum.Loop += s.Loop
				sum.Chained += s.Chained
			}
			b.ReportMetric(float64((sum.Host+sum.Loop).Microseconds())/float64(sum.Steps), "host-µs/step")
			b.ReportMetric(float64(sum.Loop.Microseconds())/float64(sum.Steps), "loop-µs/step")
			b.ReportMetric(100*(sum.Host+sum.Loop).Seconds()/sum.Chained.Seconds(), "host-%")
		})
	}
}
