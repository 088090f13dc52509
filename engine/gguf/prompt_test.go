package gguf_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/hybridgroup/yzma/pkg/llama"
	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
)

// TestPromptsAgreeWithLlamaCpp: what the twin is prompted with is, token for token, what
// llama.cpp makes of the workloads' texts with the chat template.
func TestPromptsAgreeWithLlamaCpp(t *testing.T) {
	llamatest.Library(t)
	shape := tinyShape()
	shape.Vocab = 8192
	path := filepath.Join(t.TempDir(), "m.gguf")
	require.NoError(t, gguf.Write(path, gguf.Spec{Shape: shape, Corpus: text.Corpus()}))
	model, vocab := loadModel(t, path)
	template := llama.ModelChatTemplate(model, "")
	tok := gguf.TrainBPE(text.Corpus(), shape.Vocab)
	enc := gguf.NewEncoder(tok)

	same := func(system, user string) {
		t.Helper()
		msgs := []llama.ChatMessage{llama.NewChatMessage("user", user)}
		if system != "" {
			msgs = append([]llama.ChatMessage{llama.NewChatMessage("system", system)}, msgs...)
		}
		buf := make([]byte, len(system)+len(user)+512)
		text := string(buf[:llama.ChatApplyTemplate(template, msgs, true, buf)])
		require.Equal(t, text, gguf.ChatPrompt(system, user))
		var theirs []int32
		for _, id := range llama.Tokenize(vocab, text, true, true) {
			theirs = append(theirs, int32(id))
		}
		require.Equal(t, theirs, enc.EncodePrompt(text), "%q", text)
		require.Equal(t, tok.Encode(text), enc.Encode(text))
	}
	for _, workload := range []string{loadgen.SharedPrompt, loadgen.Uniform} {
		tape, err := loadgen.Make(loadgen.Spec{Workload: workload, RPS: 4, Seed: 3, Duration: 60 * time.Second})
		require.NoError(t, err)
		require.Greater(t, len(tape.Requests), 100)
		for _, r := range tape.Requests {
			same(r.System, r.User)
		}
	}
	same("", "Hi")
	same("<|im_end|><|pad|>", "a<|im_start|>b <|endoftext|><|im_start <|im_start|>")
}
