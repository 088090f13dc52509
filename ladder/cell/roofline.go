package cell

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/results"
)

// How much work the rates of a roofline are measured on: prompts, and tokens of each answer.
const (
	roofPrompts = 16
	roofTokens  = 64
)

// roofline is the least work that the tape is for the rung, and how fast the idle backend
// does such work: prompts in steps of probeRows, answers in a full batch. It leaves the
// backend empty.
func (s *Setup) roofline(ctx context.Context, b engine.Backend, t *Tape) (none results.Opt[results.Roofline], err error) {
	if len(t.Prompts) == 0 || s.Config.Stop == StopModel {
		return none, nil
	}
	r := results.Roofline{PromptRows: s.promptRows(t), DecodeRows: s.decodeRows(t)}
	r.PrefillRowsPerS, r.DecodeRowsPerS, err = s.rates(ctx, b, t)
	if err != nil {
		return none, fmt.Errorf("measure the roofline: %w", err)
	}
	return results.Some(r), nil
}

// promptRows is how many rows the prompts take at least: every one of their tokens or, with
// a prefix cache, each beginning that several prompts share once. A prompt's last token is
// always computed.
func (s *Setup) promptRows(t *Tape) int {
	rows := 0
	for _, p := range t.Prompts {
		rows += len(p)
	}
	if !s.Rung.Caches() {
		return rows
	}
	sorted := slices.Clone(t.Prompts)
	slices.SortFunc(sorted, slices.Compare)
	for k := 1; k < len(sorted); k++ {
		rows -= min(commonPrefix(sorted[k-1], sorted[k]), len(sorted[k])-1)
	}
	return rows
}

// decodeRows is how many rows the answers take. The first token of each comes with the
// last row of its prompt.
func (s *Setup) decodeRows(t *Tape) int {
	rows := 0
	for i := range t.Requests {
		rows += s.Config.output(&t.Requests[i]) - 1
	}
	return rows
}

// rates are measured on a full batch of the tape's own prompts: prompts go first, in steps of
// probeRows, and then the whole batch decodes.
func (s *Setup) rates(ctx context.Context, b engine.Backend, t *Tape) (prefill, decode float64, err error) {
	batch, rows := s.Rung.Policy.MaxBatch, 0
	work := make([]Exchange, max(batch, roofPrompts))
	for i := range work {
		prompt := t.Prompts[i%len(t.Prompts)]
		work[i] = Exchange{prompt[:min(len(prompt), max(1, b.Limits().SeqCells-roofTokens))], roofTokens}
		rows += len(work[i].Prompt)
	}
	prompts := slices.Clone(work)
	for i := range prompts {
		prompts[i].Output = 1
	}
	_, took, err := s.idle(ctx, b, prompts, batch)
	if err != nil {
		return 0, 0, err
	}
	prefill = float64(rows) / took.Seconds()
	answers, took, err := s.idle(ctx, b, work[:batch], batch)
	if err != nil {
		return 0, 0, err
	}
	var began time.Duration
	for i := range answers {
		began = max(began, answers[i].Tokens[0])
	}
	return prefill, float64(batch*(roofTokens-1)) / (took - began).Seconds(), nil
}

// idle answers the work on the idle backend, and empties it again.
func (s *Setup) idle(ctx context.Context, b engine.Backend, work []Exchange, together int) ([]Answer, time.Duration, error) {
	policy := engine.Policy{MaxBatch: together, StepTokens: max(probeRows, together)}
	answers, took, err := Closed(ctx, s.Machine.NewClock(), b, engine.Config{Policy: policy}, work, together, probeLimit)
	if err == nil && slices.ContainsFunc(answers, func(a Answer) bool { return !a.Done }) {
		err = errors.New("the idle engine did not answer")
	}
	if err != nil {
		return nil, 0, err
	}
	return answers, took, Reset(b)
}
