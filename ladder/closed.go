package ladder

import (
	"context"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// exchange is one request of a closed loop: a prompt and how long the answer is.
type exchange struct {
	prompt []engine.Token
	output int
}

// closedLoop keeps a number of exchanges in the engine at once. It serves probes
// and the choice of rates, which ask how fast the engine is and not how it
// behaves under load.
type closedLoop struct {
	clk     clock.Clock
	eng     *engine.Engine
	work    []exchange
	answers []answer
	next    int // work not yet sent
	room    int // how many more may be sent now
	ended   time.Duration
}

// answer is what became of an exchange; it is its observer.
type answer struct {
	loop   *closedLoop
	sent   time.Duration
	tokens []time.Duration
	done   bool
}

// runClosed works through the exchanges in order, `together` at a time, and gives
// up on what is left when limit has passed. It returns the answers, in order, and
// when the last of them ended.
func runClosed(ctx context.Context, clk clock.Clock, b engine.Backend, cfg engine.Config, work []exchange, together int, limit time.Duration) ([]answer, time.Duration, error) {
	eng, err := engine.New(clk, b, cfg)
	if err != nil {
		return nil, 0, err
	}
	l := &closedLoop{clk: clk, eng: eng, work: work, answers: make([]answer, len(work)), room: together}
	eng.OnIdle(clk.Stop)
	clk.At(0, l.fill)
	clk.At(limit, l.giveUp)
	if err := clk.Run(ctx); err != nil {
		return nil, 0, err
	}
	return l.answers, l.ended, eng.Err()
}

func (l *closedLoop) fill() {
	for l.room > 0 && l.next < len(l.work) {
		i := l.next
		l.next++
		l.room--
		l.answers[i] = answer{loop: l, sent: l.clk.Now()}
		l.eng.Submit(engine.Request{ID: i, Prompt: l.work[i].prompt, MaxTokens: l.work[i].output}, nil, &l.answers[i])
	}
}

func (l *closedLoop) giveUp() {
	sent := l.next
	l.next = len(l.work)
	for i := range sent {
		l.eng.Cancel(i)
	}
}

func (a *answer) Started(time.Duration, int) {}

func (a *answer) Token(_ engine.Token, at time.Duration) { a.tokens = append(a.tokens, at) }

func (a *answer) Ended(err error, at time.Duration) {
	a.done = err == nil
	a.loop.ended = at
	a.loop.room++
	a.loop.fill()
}

// served describes an exchange that was answered in full.
func (a *answer) served(w exchange) Served {
	return Served{
		Prompt: len(w.prompt), Output: len(a.tokens),
		TTFT: a.tokens[0] - a.sent, E2E: a.tokens[len(a.tokens)-1] - a.sent,
	}
}
