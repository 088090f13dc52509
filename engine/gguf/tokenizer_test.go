package gguf_test

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/hybridgroup/yzma/pkg/llama"
	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
)

// randomText is valid UTF-8 from all planes, most of it from where text lives,
// without NUL, which C strings cannot hold.
func randomText(rng *rand.Rand, runes int) string {
	var b strings.Builder
	for range runes {
		r := rune(rng.IntN(0x10fffe) + 1)
		switch rng.IntN(6) {
		case 0, 1:
			r = rune(' ' + rng.IntN(0x5f))
		case 2:
			r = rune(rng.IntN(0x600) + 1)
		case 3:
			r = []rune(" \n\t'’é世界🙂½٣\u0301\u200d\u00a0")[rng.IntN(14)]
		}
		if utf8.ValidRune(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestTokensPerWord(t *testing.T) {
	tok := gguf.TrainBPE(englishLike(1, 1<<20), 8192)
	require.Less(t, tok.Len(), 8192)
	unseen := englishLike(2, 50_000)
	ratio := float64(len(tok.Encode(unseen))) / float64(len(strings.Fields(unseen)))
	require.InDelta(t, 1.3, ratio, 0.1)
}

func TestTrainStopsAtVocab(t *testing.T) {
	corpus := englishLike(1, 50_000)
	require.Equal(t, 600, gguf.TrainBPE(corpus, 600).Len())
	require.Equal(t, gguf.MinVocab, gguf.TrainBPE(corpus, gguf.MinVocab).Len())
}

func TestEncodeRoundTrip(t *testing.T) {
	tok := gguf.TrainBPE(englishLike(1, 50_000), 1000)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		text := randomText(rng, rng.IntN(80))
		require.Equal(t, text, tok.Decode(tok.Encode(text)))
	}
	require.Empty(t, tok.Decode([]int32{-1, 100_000}))
	require.Equal(t, "<|im_start|>", tok.Decode([]int32{1}))
}

// llama.cpp reads the file's vocabulary as our tokenizer means it.
func TestTokenizerAgreesWithLlamaCpp(t *testing.T) {
	llamatest.Library(t)
	corpus := englishLike(1, 300_000)
	shape := tinyShape()
	shape.Vocab = 8192
	path := filepath.Join(t.TempDir(), "m.gguf")
	require.NoError(t, gguf.Write(path, gguf.Spec{Shape: shape, Corpus: corpus}))
	_, vocab := loadModel(t, path)
	tok := gguf.TrainBPE(corpus, shape.Vocab)

	same := func(text string) {
		t.Helper()
		var theirs []int32
		for _, id := range llama.Tokenize(vocab, text, true, false) {
			theirs = append(theirs, int32(id))
		}
		require.Equal(t, tok.Encode(text), theirs, "%q", text)
		var ids []llama.Token
		for _, id := range theirs {
			ids = append(ids, llama.Token(id))
		}
		require.Equal(t, text, llama.Detokenize(vocab, ids, false, true))
	}
	same(englishLike(2, 20_000))
	for _, text := range []string{"a , b . c ' d ! ?", "it's we'll I'D 'tis", "  two  spaces \n\n\n  ", "12345 ½ ٣٤ Ⅷ", "naïve 日本語 🙂👩‍👩‍👧", "<|im_start|>user"} {
		same(text)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		same(randomText(rng, 1+rng.IntN(60)))
	}
}

func TestSpecialTokensInLlamaCpp(t *testing.T) {
	llamatest.Library(t)
	model, vocab := loadModel(t, writeTiny(t, func(*gguf.Spec) {}))
	require.False(t, llama.VocabGetAddBOS(vocab))
	require.Equal(t, "<|im_end|>", llama.VocabGetText(vocab, llama.VocabEOS(vocab)))
	require.Equal(t, "<|im_end|>", llama.VocabGetText(vocab, llama.VocabEOT(vocab)))
	require.Equal(t, "<|pad|>", llama.VocabGetText(vocab, llama.VocabPAD(vocab)))
	for id := range llama.Token(512) {
		require.Equal(t, id < 4 && llama.VocabGetText(vocab, id) != "<|pad|>" && id != 1, llama.VocabIsEOG(vocab, id), id)
	}

	buf := make([]byte, 1024)
	n := llama.ChatApplyTemplate(llama.ModelChatTemplate(model, ""), []llama.ChatMessage{
		llama.NewChatMessage("system", "Be brief."), llama.NewChatMessage("user", "Hi"),
	}, true, buf)
	text := string(buf[:n])
	require.Equal(t, "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", text)
	ids := llama.Tokenize(vocab, text, false, true)
	require.Equal(t, llama.Token(1), ids[0])
	require.Equal(t, text, llama.Detokenize(vocab, ids, false, true))
}
