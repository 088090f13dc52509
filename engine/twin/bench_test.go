package twin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
)

// benchLimits are those of the default ladder's backend.
var benchLimits = engine.Limits{Seqs: 48, SeqCells: 1280, Cells: 48 * 1280, Rows: 512, Vocab: 8192}

// flat costs a millisecond a step and nothing else.
func flat() Cost {
	var c Cost
	c.Seconds[Step] = 1e-3
	return c
}

// bench steps over and over, with 24 sequences that decode from 512 tokens on, or
// one prompt of 512 tokens.
type bench struct {
	tb    testing.TB
	twin  *Backend
	clear engine.Batch
	batch engine.Batch
	res   engine.StepResult
}

func newBench(tb testing.TB, unified, prefill bool) *bench {
	b, err := New(Config{Limits: benchLimits, Unified: unified, Cost: flat()})
	require.NoError(tb, err)
	s := &bench{tb: tb, twin: b}
	if prefill {
		s.clear.Ops = []engine.Op{{Seq: 0, To: -1}}
		for i := range int32(512) {
			s.batch.Rows = append(s.batch.Rows, engine.Row{Pos: i, Token: i, Output: i == 511})
		}
		return s
	}
	for seq := range int32(24) {
		var prompt engine.Batch
		for i := range int32(512) {
			prompt.Rows = append(prompt.Rows, engine.Row{Seq: seq, Pos: i, Token: i})
		}
		require.NoError(tb, b.Step(&prompt, &s.res))
		s.clear.Ops = append(s.clear.Ops, engine.Op{Seq: seq, From: 512, To: -1})
		s.batch.Rows = append(s.batch.Rows, engine.Row{Seq: seq, Pos: 512, Output: true})
	}
	return s
}

// step runs the next step and, at the end of the cells, goes back to the start.
func (s *bench) step() {
	if err := s.twin.Step(&s.batch, &s.res); err != nil {
		s.tb.Fatal(err)
	}
	if len(s.clear.Ops) == 1 {
		s.batch.Ops = s.clear.Ops
		return
	}
	for i := range s.batch.Rows {
		s.batch.Rows[i].Pos++
	}
	s.batch.Ops = nil
	if s.batch.Rows[0].Pos == 1280 {
		s.batch.Ops = s.clear.Ops
		for i := range s.batch.Rows {
			s.batch.Rows[i].Pos = 512
		}
	}
}

var benchCases = []struct {
	name             string
	unified, prefill bool
}{
	{"decode24/streams", false, false},
	{"decode24/unified", true, false},
	{"prefill512/streams", false, true},
	{"prefill512/unified", true, true},
}

func BenchmarkTwinStep(b *testing.B) {
	for _, c := range benchCases {
		b.Run(c.name, func(b *testing.B) {
			s := newBench(b, c.unified, c.prefill)
			b.ReportAllocs()
			for b.Loop() {
				s.step()
			}
		})
	}
}

// TestStepDoesNotAllocate: once its slices have grown, a step makes no garbage.
func TestStepDoesNotAllocate(t *testing.T) {
	for _, c := range benchCases {
		s := newBench(t, c.unified, c.prefill)
		for range 1000 {
			s.step()
		}
		require.Zero(t, testing.AllocsPerRun(1000, s.step), c.name)
	}
}
