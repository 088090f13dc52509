package text

import (
	"math"
	"math/rand/v2"
	"strings"
)

const (
	// TokensPerWord is what the tokenizer that engine/gguf trains on Corpus makes of a
	// word of the shared-prompt workload, in the mean. Answers of recordings are
	// measured by it.
	TokensPerWord = 1.28

	// prose has proseTokens tokens a word, and proseOpening more for the coined name at
	// its beginning: fitted to that tokenizer. cmd/cadence-bench's TestProseLength
	// shows how far texts are off.
	proseTokens, proseOpening = 1.255, 4.5
)

// WordsFor returns how many words of prose have about the given number of tokens.
func WordsFor(tokens int) int {
	return max(1, int(math.Round((float64(tokens)-proseOpening)/proseTokens)))
}

// MaxTokens bounds a prompt or an answer that a spec or a trace asks for, in tokens.
const MaxTokens = 1 << 20

// Prose writes text of about the given number of tokens: English sentences of the
// generator, the last one cut short. It begins with a coined name, so that texts of
// different streams do not share a beginning.
func Prose(r *rand.Rand, tokens int) string {
	words := WordsFor(tokens)
	w := newWriter(english(), r)
	text := strings.Fields(w.sentence(pick(r, w.g["opening"])))
	for i := 0; len(text) < words; i++ {
		text = append(text, strings.Fields(w.sentence(pick(r, w.g[fillOrder[i%len(fillOrder)]])))...)
	}
	return strings.Join(text[:words], " ")
}
