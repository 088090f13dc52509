package twin_test

import (
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// likeThe30M is roughly what the default model's steps cost with two threads.
func likeThe30M() (c twin.Cost) {
	for t, s := range map[twin.Term]float64{
		twin.Pass1: 2.3e-3, twin.Pass2: 2.7e-3, twin.Row2: 1e-3, twin.Pass4: 4e-3, twin.Row4: 0.75e-3,
		twin.Pass32: 16e-3, twin.Row32: 0.27e-3, twin.Copy: 2e-3,
	} {
		c.Seconds[t] = s
	}
	return c
}

var rungs = []struct {
	name   string
	policy engine.Policy
	prefix bool
}{
	{"fifo", engine.Policy{MaxBatch: 1, StepTokens: 512}, false},
	{"continuous", engine.Policy{MaxBatch: 24, Refill: true, DecodeFirst: true, StepTokens: 512}, false},
	{"prefix", engine.Policy{MaxBatch: 24, Refill: true, DecodeFirst: true, StepTokens: 512}, true},
}

// target offers a tape to an engine and keeps what each request was answered.
type target struct {
	eng     *engine.Engine
	prompts [][]engine.Token
	answers [][]engine.Token
}

func (t *target) Send(r *loadgen.Request, to loadgen.Sink) (cancel func()) {
	stop := func(_ engine.Token, n int) bool { return n >= r.StopTokens }
	t.eng.Submit(engine.Request{ID: r.Index, Prompt: t.prompts[r.Index], MaxTokens: r.MaxTokens}, stop, told{t, r.Index, to})
	return func() { t.eng.Cancel(r.Index) }
}

type told struct {
	*target
	id   int
	sink loadgen.Sink
}

func (o told) Started(at time.Duration, cached int) {
	o.sink.Cached(cached)
	o.sink.Started(at)
}

func (o told) Token(tok engine.Token, at time.Duration) {
	o.answers[o.id] = append(o.answers[o.id], tok)
	o.sink.Token(at)
}

func (o told) Ended(err error, at time.Duration) {
	outcome := results.Completed
	if err != nil {
		outcome = results.Cancelled
	}
	o.sink.Done(outcome, "", at)
}

const runVocab = 1 << 30

// serve runs a tape in virtual time and returns how much of that there was and how
// many steps were made.
func serve(tb testing.TB, rung int, tape *loadgen.Tape, prompts [][]engine.Token) (*target, time.Duration, int64) {
	lim := engine.Limits{Seqs: 72, SeqCells: 1280, Cells: 72 * 1280, Rows: 512, Vocab: runVocab}
	b, err := twin.New(twin.Config{Limits: lim, Cost: likeThe30M()})
	require.NoError(tb, err)
	clk, r := clock.NewVirtual(), rungs[rung]
	eng, err := engine.New(clk, b, engine.Config{Policy: r.policy, Cache: engine.CacheConfig{Paged: r.prefix, Prefix: r.prefix, Streams: true}})
	require.NoError(tb, err)
	to := &target{eng, prompts, make([][]engine.Token, len(prompts))}
	driver, err := loadgen.NewDriver(clk, tape, to, loadgen.DriverConfig{Timeout: time.Minute, Done: clk.Stop})
	require.NoError(tb, err)
	clk.At(0, driver.Start)
	require.NoError(tb, clk.Run(tb.Context()))
	require.Zero(tb, driver.Late())
	return to, clk.Now(), b.Counts().Steps
}

// load is a tape of the ladder's workload, with a token a word.
func load(tb testing.TB, rps float64, duration time.Duration) (*loadgen.Tape, [][]engine.Token) {
	tape, err := loadgen.Make(loadgen.Spec{Workload: loadgen.SharedPrompt, RPS: rps, Seed: 1, Duration: duration})
	require.NoError(tb, err)
	prompts := make([][]engine.Token, len(tape.Requests))
	for i, r := range tape.Requests {
		for word := range strings.FieldsSeq(r.System + " " + r.User) {
			h := fnv.New32a()
			h.Write([]byte(word))
			prompts[i] = append(prompts[i], engine.Token(h.Sum32()%runVocab))
		}
	}
	return tape, prompts
}

// TestAnswersAreSolo: under the ladder's own load, within and far beyond what a rung
// sustains, every request is answered as if it had the engine to itself.
func TestAnswersAreSolo(t *testing.T) {
	for _, rps := range []float64{1, 12} {
		tape, prompts := load(t, rps, 40*time.Second)
		for i, r := range rungs {
			to, _, _ := serve(t, i, tape, prompts)
			answered := 0
			for id, answer := range to.answers {
				require.Equal(t, twin.Solo(prompts[id], len(answer), runVocab), append([]engine.Token{}, answer...), "%s, request %d", r.name, id)
				if len(answer) > 0 {
					answered++
				}
			}
			require.Greater(t, answered, 20, r.name)
		}
	}
}

// BenchmarkTwinRun serves ten minutes of the ladder's load.
func BenchmarkTwinRun(b *testing.B) {
	tape, prompts := load(b, 3, 10*time.Minute)
	for i, r := range rungs {
		b.Run(r.name, func(b *testing.B) {
			b.ReportAllocs()
			virtual, steps := time.Duration(0), int64(0)
			for b.Loop() {
				_, v, n := serve(b, i, tape, prompts)
				virtual, steps = virtual+v, steps+n
			}
			b.ReportMetric(virtual.Seconds()/b.Elapsed().Seconds(), "virtual-s/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
			b.ReportMetric(float64(len(prompts)), "requests/op")
		})
	}
}
