package cell

import (
	"context"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// Exchange is one request of a closed loop: a prompt and how long the answer is.
type Exchange struct {
	Prompt []engine.Token
	Output int
}

// Answer is what became of an exchange.
type Answer struct {
	Sent   time.Duration
	Tokens []time.Duration
	Done   bool // answered in full

	loop *closedLoop
}

// TTFT is the time from sending to the first token.
func (a *Answer) TTFT() time.Duration { return a.Tokens[0] - a.Sent }

// E2E is the time from sending to the last token.
func (a *Answer) E2E() time.Duration { return a.Tokens[len(a.Tokens)-1] - a.Sent }

// closedLoop keeps a number of exchanges in the engine at once. It serves probes
// and the choice of rates, which ask how fast the engine is and not how it
// behaves under load.
type closedLoop struct {
	clk     clock.Clock
	eng     *engine.Engine
	work    []Exchange
	answers []Answer
	next    int // work not yet sent
	room    int // how many more may be sent now
	limit   time.Duration
	ended   time.Duration
}

// Closed works through the exchanges in order, `together` at a time, and cancels
// what is left when limit has passed. It returns the answers, in order, and
// when the last of them ended.
func Closed(ctx context.Context, clk clock.Clock, b engine.Backend, cfg engine.Config, work []Exchange, together int, limit time.Duration) ([]Answer, time.Duration, error) {
	l := &closedLoop{clk: clk, work: work, answers: make([]Answer, len(work)), room: together, limit: limit}
	_, err := Serve(ctx, clk, b, cfg, l)
	return l.answers, l.ended, err
}

// Begin implements Client.
func (l *closedLoop) Begin(eng *engine.Engine, over func()) {
	l.eng = eng
	l.clk.At(l.limit, l.cancel)
	l.fill()
	over() // a closed loop is never idle before its end
}

func (l *closedLoop) fill() {
	for l.room > 0 && l.next < len(l.work) {
		i := l.next
		l.next++
		l.room--
		l.answers[i] = Answer{loop: l, Sent: l.clk.Now()}
		l.eng.Submit(engine.Request{ID: i, Prompt: l.work[i].Prompt, MaxTokens: l.work[i].Output}, nil, &l.answers[i])
	}
}

func (l *closedLoop) cancel() {
	sent := l.next
	l.next = len(l.work)
	for i := range sent {
		l.eng.Cancel(i)
	}
}

// Started implements engine.Observer.
func (a *Answer) Started(time.Duration, int) {}

// Token implements engine.Observer.
func (a *Answer) Token(_ engine.Token, at time.Duration) { a.Tokens = append(a.Tokens, at) }

// Ended implements engine.Observer.
func (a *Answer) Ended(err error, at time.Duration) {
	a.Done = err == nil
	a.loop.ended = at
	a.loop.room++
	a.loop.fill()
}
