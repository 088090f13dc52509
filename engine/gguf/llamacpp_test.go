package gguf_test

import (
	"slices"
	"testing"

	"github.com/hybridgroup/yzma/pkg/llama"
	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
)

// loadModel opens a GGUF with the real llama.cpp.
func loadModel(t testing.TB, path string) (llama.Model, llama.Vocab) {
	t.Helper()
	llamatest.Library(t)
	model, err := llama.ModelLoadFromFile(path, llama.ModelDefaultParams())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, llama.ModelFree(model)) })
	return model, llama.ModelGetVocab(model)
}

// session is a llama.cpp context with room for 8 sequences.
type session struct {
	t     testing.TB
	ctx   llama.Context
	batch llama.Batch
	vocab int
}

const sessionBatch = 512

func newSession(t testing.TB, model llama.Model, flash llama.FlashAttentionType) *session {
	t.Helper()
	p := llama.ContextDefaultParams()
	p.NCtx, p.NBatch, p.NUbatch, p.NSeqMax = 8192, sessionBatch, sessionBatch, 8
	p.NThreads, p.NThreadsBatch = 1, 1
	p.KVUnified, p.FlashAttentionType = 1, flash
	ctx, err := llama.InitFromModel(model, p)
	require.NoError(t, err)
	s := &session{t: t, ctx: ctx, batch: llama.BatchInit(sessionBatch, 0, 1),
		vocab: int(llama.VocabNTokens(llama.ModelGetVocab(model)))}
	t.Cleanup(func() {
		require.NoError(t, llama.BatchFree(s.batch))
		require.NoError(t, llama.Free(ctx))
	})
	return s
}

// row is one token of a batch.
type row struct {
	token llama.Token
	pos   int
	seq   int
	// output asks for logits after this row.
	output bool
}

// decode runs the rows as one batch and hands over the logits of each output
// row, which are valid during the call only.
func (s *session) decode(rows []row, logits func(r row, logits []float32)) {
	s.t.Helper()
	require.NoError(s.t, s.batch.Clear())
	for _, r := range rows {
		require.NoError(s.t, s.batch.Add(r.token, llama.Pos(r.pos), []llama.SeqId{llama.SeqId(r.seq)}, r.output))
	}
	code, err := llama.Decode(s.ctx, s.batch)
	require.NoError(s.t, err)
	require.Zero(s.t, code)
	for i, r := range rows {
		if r.output {
			l, err := llama.GetLogitsIth(s.ctx, int32(i), s.vocab)
			require.NoError(s.t, err)
			logits(r, l)
		}
	}
}

// prefill feeds a sequence's tokens, chunk at a time. Rows from position output
// on give logits.
func (s *session) prefill(seq int, tokens []llama.Token, chunk, output int, logits func(r row, logits []float32)) {
	s.t.Helper()
	for at := 0; at < len(tokens); at += chunk {
		var rows []row
		for pos := at; pos < min(at+chunk, len(tokens)); pos++ {
			rows = append(rows, row{tokens[pos], pos, seq, pos >= output})
		}
		s.decode(rows, logits)
	}
}

// greedy prefills a prompt into an empty cache and returns it with n tokens more.
func (s *session) greedy(prompt []llama.Token, n int, logits func(r row, logits []float32)) []llama.Token {
	s.t.Helper()
	s.clear()
	tokens := slices.Clone(prompt)
	last := len(prompt) - 1
	s.prefill(0, prompt[:last], sessionBatch, last, ignore)
	for pos := last; pos < last+n; pos++ {
		s.decode([]row{{tokens[pos], pos, 0, true}}, func(r row, l []float32) {
			logits(r, l)
			best, _ := topTwo(l)
			tokens = append(tokens, llama.Token(best))
		})
	}
	return tokens
}

func (s *session) clear() {
	s.t.Helper()
	memory, err := llama.GetMemory(s.ctx)
	require.NoError(s.t, err)
	require.NoError(s.t, llama.MemoryClear(memory, true))
}

func ignore(row, []float32) {}

// topTwo gives the indices of the largest and second largest logit.
func topTwo(logits []float32) (best, second int) {
	best, second = 0, -1
	for i, l := range logits[1:] {
		switch i++; {
		case l > logits[best]:
			best, second = i, best
		case second < 0 || l > logits[second]:
			second = i
		}
	}
	return best, second
}
