package loadgen

import (
	"math"
	"math/rand/v2"
	"strings"
)

// tokensPerWord is what the tokenizer that engine/gguf trains on Corpus makes of a
// word of the workloads' text, in the mean. cmd/cadence-bench's TestProseLength
// measures it, and how far single texts are off. Other tokenizers differ: those of
// Llama 3 and Qwen make about 1.2 to 1.3 tokens of an English word.
const tokensPerWord = 1.28

// maxLength bounds a prompt or an answer that a spec or a trace asks for, in tokens.
const maxLength = 1 << 20

// prose writes text of about the given number of tokens: English sentences of the
// generator, the last one cut short. It begins with a coined name, so that texts of
// different streams do not share a beginning.
func prose(r *rand.Rand, tokens int) string {
	words := max(1, int(math.Round(float64(tokens)/tokensPerWord)))
	w := newWriter(english(), r)
	text := strings.Fields(w.sentence(pick(r, w.g["opening"])))
	for i := 0; len(text) < words; i++ {
		text = append(text, strings.Fields(w.sentence(pick(r, w.g[fillOrder[i%len(fillOrder)]])))...)
	}
	return strings.Join(text[:words], " ")
}
