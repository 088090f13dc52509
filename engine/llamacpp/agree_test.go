package llamacpp_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/stretchr/testify/require"
)

// TestBatchAgreesWithAlone decodes sequences of different lengths together and
// each alone. The batch is fed the tokens of the lone run, so that one
// near-tie decided the other way does not end the comparison.
func TestBatchAgreesWithAlone(t *testing.T) {
	for _, name := range []string{"unified", "split"} {
		for _, seqs := range []int{2, 8} {
			t.Run(fmt.Sprintf("%s/%d", name, seqs), func(t *testing.T) {
				const n = 16
				alone := newRun(t, layouts[name](1, 256))
				cells := 256
				if name == "unified" {
					cells *= seqs
				}
				together := newRun(t, layouts[name](seqs, cells))
				toks := make([][]engine.Token, seqs)
				logits := make([][][]float32, seqs)
				prompts := make([][]engine.Token, seqs)
				for s := range seqs {
					prompts[s] = tokens(20+7*s, uint64(s))
					toks[s], logits[s] = alone.generate(0, prompts[s], n)
					alone.remove(0, 0, -1)
					alone.step()
				}
				var a agreement
				for i := range n {
					for s := range seqs {
						if i == 0 {
							together.add(int32(s), prompts[s]...)
						} else {
							together.add(int32(s), toks[s][i-1])
						}
					}
					together.step()
					got := slices.Chunk(together.Logits(seqs), together.Limits().Vocab)
					s := 0
					for row := range got {
						a.add(logits[s][i], row)
						s++
					}
				}
				a.report(t, t.Name())
			})
		}
	}
}

// TestRowOrderDoesNotMatter mixes the rows of a prefill and several sequences in
// any order; each output belongs to the row that asked. vllm#23347 is of the kind
// that such a mix-up makes.
func TestRowOrderDoesNotMatter(t *testing.T) {
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			const seqs = 5
			want := map[int32]engine.Token{}
			r := newRun(t, layout(seqs, 512))
			orders := [][]int32{{0, 1, 2, 3, 4}, {4, 2, 0, 3, 1}, {3, 4, 1, 0, 2}}
			for _, order := range orders {
				for _, s := range order {
					r.add(s, tokens(10+5*int(s), uint64(s))...)
				}
				// Deal the sequences' rows out in turn, so that they interleave.
				rows := slices.Clone(r.batch.Rows)
				slices.SortStableFunc(rows, func(a, b engine.Row) int { return int(a.Pos - b.Pos) })
				var asked []int32
				for _, row := range rows {
					if row.Output {
						asked = append(asked, row.Seq)
					}
				}
				r.batch.Rows = rows
				for i, tok := range r.step() {
					if _, seen := want[asked[i]]; !seen {
						want[asked[i]] = tok
					}
					require.Equal(t, want[asked[i]], tok, "order %v, sequence %d", order, asked[i])
				}
				for s := range int32(seqs) {
					r.remove(s, 0, -1)
				}
				r.step()
			}
			require.Len(t, want, seqs)
		})
	}
}

func TestChunkedPrefillEqualsWhole(t *testing.T) {
	prompt := tokens(300, 5)
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			r := newRun(t, layout(1, 512))
			_, want := r.generate(0, prompt, 4)
			for _, chunk := range []int{32, 64, 128, 299} {
				r.remove(0, 0, -1)
				var got [][]float32
				for part := range slices.Chunk(prompt, chunk) {
					r.add(0, part...)
					r.step()
				}
				var a agreement
				for i := range want {
					got = append(got, slices.Clone(r.Logits(1)))
					a.add(want[i], got[i])
					r.add(0, engine.Token(argmax(want[i])))
					r.step()
				}
				a.report(t, fmt.Sprintf("chunks of %d", chunk))
			}
		})
	}
}
