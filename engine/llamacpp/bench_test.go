package llamacpp_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/hybridgroup/yzma/pkg/llama"
	"github.com/stretchr/testify/require"
)

const benchPrompt = 128

// benchRun is a context of n sequences with a prompt each, ready to decode.
func benchRun(t testing.TB, n int) *run {
	r := newRun(t, llamacpp.Params{Seqs: n, SeqCells: 1024, Rows: 512, UBatch: 512, Threads: 1, FlashAttn: llamacpp.FlashOn})
	for s := range n {
		r.add(int32(s), tokens(benchPrompt, uint64(s))...)
		r.step()
	}
	return r
}

// decodeRows makes the batch one decode step of n sequences at a position.
func decodeRows(b *engine.Batch, n int, pos int32) {
	b.Rows = b.Rows[:0]
	for s := range n {
		b.Rows = append(b.Rows, engine.Row{Token: 400 + int32(s), Pos: pos, Seq: int32(s), Output: true})
	}
}

// rewind makes the next step go on after the prompts again.
func rewind(b *engine.Batch, n int) {
	b.Ops = b.Ops[:0]
	for s := range n {
		b.Ops = append(b.Ops, engine.Op{Kind: engine.OpRemove, Seq: int32(s), From: benchPrompt, To: -1})
	}
}

// TestStepAllocations: a step in the steady state allocates nothing of its own.
// What is left is ffi.Call's argument list, one per C call: decode, synchronize
// and get_logits.
func TestStepAllocations(t *testing.T) {
	const n = 8
	r := benchRun(t, n)
	pos := int32(benchPrompt)
	allocs := testing.AllocsPerRun(20, func() {
		decodeRows(&r.batch, n, pos)
		pos++
		if err := r.Step(&r.batch, &r.res); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("%.1f allocations per step of %d rows", allocs, n)
	require.LessOrEqual(t, allocs, 3.0)
}

// BenchmarkStepHost gives the time of a decode step outside llama.cpp's decode,
// and its share of the step. Set CADENCE_MODEL for another model.
func BenchmarkStepHost(b *testing.B) {
	for _, n := range []int{1, 8, 24} {
		b.Run(fmt.Sprintf("batch=%d", n), func(b *testing.B) {
			r := benchRun(b, n)
			var host, model time.Duration
			pos := int32(benchPrompt)
			for b.Loop() {
				if r.batch.Ops = r.batch.Ops[:0]; pos == 1024 {
					rewind(&r.batch, n)
					pos = benchPrompt
				}
				decodeRows(&r.batch, n, pos)
				pos++
				if err := r.Step(&r.batch, &r.res); err != nil {
					b.Fatal(err)
				}
				host += r.res.Host
				model += r.res.Model
			}
			b.ReportMetric(float64(host.Microseconds())/float64(b.N), "host-µs/step")
			b.ReportMetric(100*host.Seconds()/(host+model).Seconds(), "host-%")
			b.ReportMetric(float64(n*b.N)/(host+model).Seconds(), "tok/s")
		})
	}
}

// direct does with the binding's own calls what a step does: a batch filled by
// Add, Decode, and the binding's greedy sampler on each output.
type direct struct {
	ctx     llama.Context
	mem     llama.Memory
	batch   llama.Batch
	sampler llama.Sampler
}

func (d *direct) step(t testing.TB, rows []engine.Row) {
	d.batch.Clear()
	for i := range rows {
		r := &rows[i]
		require.NoError(t, d.batch.Add(llama.Token(r.Token), llama.Pos(r.Pos), []llama.SeqId{llama.SeqId(r.Seq)}, r.Output))
	}
	code, err := llama.Decode(d.ctx, d.batch)
	require.NoError(t, err)
	require.Zero(t, code)
	require.NoError(t, llama.Synchronize(d.ctx))
	for i := range rows {
		if rows[i].Output {
			llama.SamplerSample(d.sampler, d.ctx, int32(i))
		}
	}
}

// BenchmarkAgainstBinding runs the same batches through Step and through the
// binding directly, step by step in turn on two equal contexts, and gives the
// ratio of the rates (above 1: Step is faster). Of each step the fastest round
// counts, because the machine's other work only ever adds.
func BenchmarkAgainstBinding(b *testing.B) {
	for _, n := range []int{1, 8, 24} {
		b.Run(fmt.Sprintf("batch=%d", n), func(b *testing.B) {
			const steps = 32
			ours, other := benchRun(b, n), benchRun(b, n)
			d := &direct{batch: llama.BatchInit(512, 0, 1), sampler: llama.SamplerInitGreedy()}
			d.ctx, d.mem = other.Handles()
			defer llama.BatchFree(d.batch)
			defer llama.SamplerFree(d.sampler)

			long := engine.Batch{}
			for i, tok := range tokens(512, 3) {
				long.Rows = append(long.Rows, engine.Row{Token: tok, Pos: int32(i), Output: i == 511})
			}
			short := engine.Batch{Rows: long.Rows[:benchPrompt]}
			// One entry per decode step and the last for the prefill.
			var best [2][steps + 1]time.Duration
			for i := range best[0] {
				best[0][i], best[1][i] = time.Hour, time.Hour
			}
			var rows engine.Batch
			both := func(at int, batch *engine.Batch) {
				start := time.Now()
				require.NoError(b, ours.Step(batch, &ours.res))
				between := time.Now()
				d.step(b, batch.Rows)
				best[0][at] = min(best[0][at], between.Sub(start))
				best[1][at] = min(best[1][at], time.Since(between))
			}
			remove := func(seq, from int32) {
				edit := engine.Batch{Ops: []engine.Op{{Kind: engine.OpRemove, Seq: seq, From: from, To: -1}}}
				require.NoError(b, ours.Step(&edit, &ours.res))
				_, err := llama.MemorySeqRm(d.mem, llama.SeqId(seq), llama.Pos(from), -1)
				require.NoError(b, err)
			}
			for b.Loop() {
				for i := range steps {
					decodeRows(&rows, n, benchPrompt+int32(i))
					both(i, &rows)
				}
				remove(0, 0)
				both(steps, &long)
				remove(0, 0)
				require.NoError(b, ours.Step(&short, &ours.res))
				d.step(b, short.Rows)
				for s := range n {
					remove(int32(s), benchPrompt)
				}
			}
			var total [2]time.Duration
			for i := range steps {
				total[0] += best[0][i]
				total[1] += best[1][i]
			}
			b.ReportMetric(float64(total[1])/float64(total[0]), "decode-ratio")
			b.ReportMetric(float64(best[1][steps])/float64(best[0][steps]), "prefill-ratio")
			b.ReportMetric(float64(n*steps)/total[0].Seconds(), "decode-tok/s")
			b.ReportMetric(512/best[0][steps].Seconds(), "prefill-tok/s")
		})
	}
}

// BenchmarkLayout gives the rates of each layout of the KV cache with and
// without flash attention, for 24 prompts of 540 tokens that are all unique or
// that share their first 496: how long a prompt takes to be ready (the copy of
// what is shared included), then decode steps of all 24. The medians count.
func BenchmarkLayout(b *testing.B) {
	for _, layout := range []string{"unified", "streams"} {
		for _, fa := range []llamacpp.FlashAttn{llamacpp.FlashOn, llamacpp.FlashOff} {
			for _, shared := range []int{0, 496} {
				b.Run(fmt.Sprintf("%s/flash=%v/shared=%d", layout, fa, shared), func(b *testing.B) {
					benchLayout(b, layout == "unified", fa, shared)
				})
			}
		}
	}
}

func benchLayout(b *testing.B, unified bool, fa llamacpp.FlashAttn, shared int) {
	const prompt, seqs, cells = 540, 24, 768
	p := llamacpp.Params{Seqs: seqs + 1, SeqCells: cells, Rows: 1024, UBatch: 512, Threads: 1, ThreadsBatch: *benchThreads, FlashAttn: fa}
	if unified {
		p.KVUnified, p.Cells, p.SeqCells = true, cells*(seqs+1), 0
	}
	r := newRun(b, p)
	prefix := tokens(shared, 1000)
	if shared > 0 {
		r.add(seqs, prefix...)
		r.step()
	}
	var ready, decode []time.Duration
	for s := range int32(seqs) {
		if shared > 0 {
			r.copy(seqs, s)
		}
		r.add(s, tokens(prompt-shared, uint64(s))...)
		r.step()
		ready = append(ready, r.res.Model+r.res.Host)
	}
	pos := int32(prompt)
	for b.Loop() {
		if pos == cells {
			break
		}
		decodeRows(&r.batch, seqs, pos)
		pos++
		r.step()
		decode = append(decode, r.res.Model+r.res.Host)
	}
	slices.Sort(ready)
	slices.Sort(decode)
	b.ReportMetric(ready[len(ready)/2].Seconds()*1e3, "ready-ms")
	b.ReportMetric(seqs/decode[len(decode)/2].Seconds(), "decode-tok/s")
}

var benchThreads = flag.Int("threads", 1, "threads for passes of more than one row, in benchmarks")
