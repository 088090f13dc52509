// Package httptarget offers a tape to a server over HTTP and reads its streams:
// any server with OpenAI's API, and llama-server. Whatever one stream does, it is
// that request's outcome and nobody else's.
package httptarget

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/loadgen"
)

// Target is a server. A request takes a goroutine and, with HTTP/1.1, a connection
// of its own; there is no limit to how many are outstanding but the machine's, and
// a request that meets it says so.
type Target struct {
	client
	clk     *clock.Wall
	prompt  func(*loadgen.Request) Prompt
	ctx     context.Context
	close   context.CancelFunc
	running sync.WaitGroup
	stats   Stats
}

var _ loadgen.Target = (*Target)(nil)

// Stats say how the answers of a target were read.
type Stats struct {
	Counted   map[Counting]int // streams that ended well, by how their tokens were counted
	Several   int              // chunks that held more than one token, by their own account
	Exhausted int              // requests that this machine, and not the server, could not carry
	// BadUsage counts streams whose server gave more cached tokens than prompt
	// tokens, or more output tokens than asked for; the figure is left out.
	BadUsage int
}

// New returns a target whose requests say what prompt gives for them, which may be
// called from any goroutine. Times are those of clk, on whose loop it lives.
func New(clk *clock.Wall, cfg Config, prompt func(*loadgen.Request) Prompt) *Target {
	t := &Target{client: client{cfg: cfg, http: newTransport(), now: clk.Time}, clk: clk, prompt: prompt,
		stats: Stats{Counted: map[Counting]int{}}}
	t.ctx, t.close = context.WithCancel(context.Background())
	return t
}

// Stats returns how the answers were read so far. Call it on the loop, or when the
// clock has stopped.
func (t *Target) Stats() Stats { return t.stats }

// Close withdraws what is outstanding and waits until it has ended.
func (t *Target) Close() {
	t.close()
	t.running.Wait()
	if c, ok := t.http.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Send implements loadgen.Target.
func (t *Target) Send(r *loadgen.Request, to loadgen.Sink) (cancel func()) {
	ctx, stop := context.WithCancel(t.ctx)
	c := &call{t: t, r: r, to: to}
	t.running.Add(1)
	go func() {
		defer t.running.Done()
		defer stop()
		c.run(ctx)
	}()
	return func() {
		c.over = true
		stop()
	}
}

// call is a request under way.
type call struct {
	t    *Target
	r    *loadgen.Request
	to   loadgen.Sink
	over bool // ended or withdrawn; the loop's
}

// tell runs fn on the loop, unless the request is over by then.
func (c *call) tell(fn func()) {
	c.t.clk.Post(func() {
		if !c.over {
			fn()
		}
	})
}

func (c *call) run(ctx context.Context) {
	sent := c.t.now()
	c.tell(func() { c.to.Sent(sent) })
	p := c.t.prompt(c.r)
	b := bounds{tokens: c.t.cfg.limit(c.r)}
	if c.t.cfg.Ending == Closed {
		b.stop = c.r.StopTokens
	}
	body, err := c.t.cfg.body(p, b.tokens, c.r.Seed)
	var a answer
	if err != nil {
		a = c.t.failed(err, nil)
	} else {
		a = c.t.exchange(ctx, body, b, func(n int, at time.Duration) {
			c.tell(func() {
				for range n {
					c.to.Token(at)
				}
			})
		})
	}
	if errors.Is(a.err, context.Canceled) {
		return // withdrawn; the driver knows
	}
	c.tell(func() { c.end(a, len(p.Tokens), b.tokens) })
}

// end tells the driver what the end of a request showed.
func (c *call) end(a answer, prompt, asked int) {
	c.over = true
	s := &c.t.stats
	if a.usage.prompt.OK {
		prompt = a.usage.prompt.V
	}
	if prompt > 0 {
		c.to.Prompt(prompt)
	}
	cached := a.usage.cached
	if cached.OK && cached.V <= prompt {
		c.to.Cached(cached.V)
	}
	if cached.OK && cached.V > prompt || a.usage.completion.V > asked {
		s.BadUsage++
	}
	if a.times != nil {
		c.to.Tokens(a.times)
	}
	if a.counted != "" {
		s.Counted[a.counted]++
	}
	s.Several += a.several
	if exhausted(a.err) {
		s.Exhausted++
	}
	c.to.Done(a.outcome, a.reason, a.at)
}
