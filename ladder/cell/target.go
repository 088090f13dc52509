package cell

import (
	"errors"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// StopMode says where answers end.
type StopMode string

const (
	// StopScripted ends an answer at the length drawn with the tape.
	StopScripted StopMode = "scripted"
	// StopModel ends it at the model's end-of-generation token.
	StopModel StopMode = "model"
	// StopNever ends it at the client's token limit only.
	StopNever StopMode = "never"
)

// target offers a tape's requests to an embedded engine.
type target struct {
	clk         clock.Clock
	eng         *engine.Engine
	prompt      func(*loadgen.Request) ([]engine.Token, error)
	temperature float32
	stop        StopMode
	eog         func(engine.Token) bool
	prefix      bool // the engine has a prefix cache
	// slo, above 0, gives every request a deadline: its intended arrival and this. Only
	// rungs with an admission policy have one, so that nothing else changes for the rest.
	slo time.Duration
}

// Send implements loadgen.Target.
func (t *target) Send(r *loadgen.Request, to loadgen.Sink) (cancel func()) {
	prompt, err := t.prompt(r)
	if err != nil {
		to.Done(results.Failed, err.Error(), t.clk.Now())
		return nil
	}
	to.Prompt(len(prompt))
	req := engine.Request{
		ID: r.Index, Class: r.Class, Prompt: prompt, MaxTokens: r.MaxTokens,
		Sampling: engine.Sampling{Temperature: t.temperature, Seed: r.Seed},
	}
	if t.slo > 0 {
		req.Late, req.Deadline = t.clk.Now()-to.Due(), to.Due()+t.slo
	}
	t.eng.Submit(req, t.stopOf(r), observer{to, t.prefix})
	return func() { t.eng.Cancel(r.Index) }
}

func (t *target) stopOf(r *loadgen.Request) engine.Stop {
	switch t.stop {
	case StopScripted:
		return func(_ engine.Token, n int) bool { return n >= r.StopTokens }
	case StopModel:
		return func(tok engine.Token, _ int) bool { return t.eog(tok) }
	default:
		return nil
	}
}

// observer passes on to the driver what the engine tells.
type observer struct {
	sink   loadgen.Sink
	prefix bool
}

// Started says nothing of cached tokens where there is no cache: 0 would be a
// measurement.
func (o observer) Started(at time.Duration, cached int) {
	if o.prefix {
		o.sink.Cached(cached)
	}
	o.sink.Started(at)
}

func (o observer) Token(_ engine.Token, at time.Duration) { o.sink.Token(at) }

func (o observer) Ended(err error, at time.Duration) {
	outcome, reason := outcomeOf(err)
	o.sink.Done(outcome, reason, at)
}

// outcomeOf translates how the engine ended a request.
func outcomeOf(err error) (results.Outcome, string) {
	var refusal *engine.Refusal
	switch {
	case err == nil:
		return results.Completed, ""
	case errors.Is(err, engine.ErrCancelled):
		return results.Cancelled, ""
	case errors.As(err, &refusal) && refusal.Stage == engine.OnArrival:
		return results.Shed, refusal.Reason.String()
	case errors.As(err, &refusal) && refusal.Stage == engine.BeforeStart:
		return results.Shed, "dropped before its start: " + refusal.Reason.String()
	case errors.As(err, &refusal):
		return results.Failed, results.AbortedReason
	default:
		return results.Failed, err.Error()
	}
}
