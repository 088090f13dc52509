package gguf_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/hybridgroup/yzma/pkg/llama"
	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
)

var long = flag.Bool("long", false, "measure every shape at the length that the package documentation states")

// separation is how a model decodes greedily.
type separation struct {
	gaps     []float32 // best logit less the second, sorted
	noise    []float32 // change of that difference under another batch composition, sorted
	flips    int       // positions of noise where the composition changed the best token
	distinct []int     // different tokens in each run
	repeat   int       // longest stretch of a run that repeats what stood at most 32 tokens before it
	moved    []int     // tokens until a change of one early prompt token shows, sorted; the run's length if never
	special  int       // tokens emitted that stand for no text
}

func (s separation) String() string {
	at := func(v []float32, q float64) float32 { return v[int(q*float64(len(v)-1))] }
	return fmt.Sprintf("gap p1 %.3f p5 %.3f p50 %.3f; noise p50 %.4f p99 %.4f max %.4f; flips %d of %d; distinct %d; longest repeat %d; moved %d",
		at(s.gaps, .01), at(s.gaps, .05), at(s.gaps, .5), at(s.noise, .5), at(s.noise, .99), at(s.noise, 1),
		s.flips, len(s.noise), s.distinct, s.repeat, s.moved)
}

// trial is the size of a measurement: runs prompts of prompt tokens, each
// continued by tokens tokens.
type trial struct {
	runs, prompt, tokens int
	flash                llama.FlashAttentionType
}

// measure decodes each prompt alone, then gives the model the same tokens again
// in chunks of 64, and then all runs in one batch, and compares the logits.
func measure(t testing.TB, model llama.Model, vocab llama.Vocab, c trial) (m separation) {
	t.Helper()
	s := newSession(t, model, c.flash)
	alone := make([][][]float32, c.runs) // logits by run and token
	compare := func(r row, l []float32) {
		ref := alone[r.seq][r.pos-c.prompt+1]
		best, second := topTwo(ref)
		shift := (l[best] - l[second]) - (ref[best] - ref[second])
		m.noise = append(m.noise, max(shift, -shift))
		if now, _ := topTwo(l); now != best {
			m.flips++
		}
	}
	runs := make([][]llama.Token, c.runs)
	for i := range runs {
		prompt := chatPrompt(vocab, uint64(100+i), c.prompt)
		runs[i] = s.greedy(prompt, c.tokens, func(_ row, l []float32) {
			alone[i] = append(alone[i], slices.Clone(l))
			best, second := topTwo(l)
			m.gaps = append(m.gaps, l[best]-l[second])
		})
		m.note(vocab, runs[i][c.prompt:])

		prompt[c.prompt/10] = (prompt[c.prompt/10]+100)%1000 + 300
		other := s.greedy(prompt, c.tokens, ignore)
		same := 0
		for same < c.tokens && other[c.prompt+same] == runs[i][c.prompt+same] {
			same++
		}
		m.moved = append(m.moved, same)
	}
	for i, run := range runs {
		s.clear()
		s.prefill(0, run[:c.prompt+c.tokens-1], 64, c.prompt-1, func(r row, l []float32) {
			r.seq = i
			compare(r, l)
		})
	}
	s.clear()
	for i, run := range runs {
		s.prefill(i, run[:c.prompt-1], sessionBatch, c.prompt, ignore)
	}
	for pos := c.prompt - 1; pos < c.prompt+c.tokens-1; pos++ {
		var rows []row
		for i, run := range runs {
			rows = append(rows, row{run[pos], pos, i, true})
		}
		s.decode(rows, compare)
	}
	slices.Sort(m.gaps)
	slices.Sort(m.noise)
	slices.Sort(m.moved)
	return m
}

// note takes in what one run emitted.
func (s *separation) note(vocab llama.Vocab, out []llama.Token) {
	seen := map[llama.Token]bool{}
	for _, id := range out {
		seen[id] = true
		if llama.VocabGetAttr(vocab, id) != llama.TokenAttrNormal {
			s.special++
		}
	}
	s.distinct = append(s.distinct, len(seen))
	for lag := 1; lag <= 32; lag++ {
		streak := 0
		for i := lag; i < len(out); i++ {
			streak++
			if out[i] != out[i-lag] {
				streak = 0
			}
			s.repeat = max(s.repeat, streak)
		}
	}
}

// chatPrompt is a ChatML prompt of exactly n tokens.
func chatPrompt(vocab llama.Vocab, seed uint64, n int) []llama.Token {
	head := llama.Tokenize(vocab, "<|im_start|>user\n"+englishLike(seed, 6*n), false, true)
	tail := llama.Tokenize(vocab, "<|im_end|>\n<|im_start|>assistant\n", false, true)
	return append(head[:n-len(tail):n-len(tail)], tail...)
}

// Greedy decoding is separated from the noise of batch composition, depends on
// the context, goes on without a cycle, and says text. llama.cpp#27148 is the
// kind of fault that only a context-dependent output can show.
func TestSeparation(t *testing.T) {
	llamatest.Library(t)
	for _, shape := range gguf.Shapes() {
		path := filepath.Join(t.TempDir(), "m.gguf")
		require.NoError(t, gguf.Write(path, gguf.Spec{Shape: shape, Seed: 1, Corpus: englishLike(1, 1<<20)}))
		model, vocab := loadModel(t, path)
		size := trial{runs: 8, prompt: 300, tokens: 64}
		switch {
		case *long && shape.Name == "cadence-30m":
			size.tokens = 256
		case *long:
			size = trial{runs: 4, prompt: 200, tokens: 128}
		case shape.Name != "cadence-30m":
			size = trial{runs: 2, prompt: 64, tokens: 24}
		}
		for _, flash := range []llama.FlashAttentionType{llama.FlashAttentionTypeDisabled, llama.FlashAttentionTypeEnabled} {
			size.flash = flash
			t.Run(fmt.Sprintf("%s/flash=%d", shape.Name, flash), func(t *testing.T) {
				m := measure(t, model, vocab, size)
				t.Log(m)
				// Each bound leaves a factor of two or more to what was measured.
				require.Greater(t, m.gaps[len(m.gaps)/2], float32(0.3), "median gap")
				require.Less(t, m.noise[len(m.noise)*99/100], float32(0.1), "noise")
				require.LessOrEqual(t, m.flips, max(2, len(m.noise)/50), "flips")
				require.Zero(t, m.special, "tokens without text")
				require.GreaterOrEqual(t, slices.Min(m.distinct), size.tokens/4, "distinct tokens")
				require.LessOrEqual(t, m.repeat, size.tokens/2, "longest repeat")
				if len(m.gaps) >= 400 {
					require.Greater(t, m.gaps[len(m.gaps)/20], float32(0.03), "fifth percentile of the gap")
					require.Less(t, m.moved[len(m.moved)/4], size.tokens, "changed prompts that show")
				}
			})
		}
	}
}
