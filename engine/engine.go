// Package engine serves requests on one backend: it queues them, lets a
// scheduler decide each step, runs the steps, and tells each request's observer
// what came of it. It lives on one clock and needs no lock.
package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// Engine runs a scheduler's steps on a backend.
type Engine struct {
	clk     clock.Clock
	backend Backend
	sched   *Scheduler
	live    map[int]client

	stepping bool
	wake     clock.Timer
	batch    *Batch
	result   StepResult
	stepErr  error
	lastEnd  time.Duration // end of the last step, if the next followed at once; else -1
	stats    Stats
	failure  error
	onIdle   func()
	trace    tracer
	guard    *guard // nil without an admission policy
}

// Config says how an engine serves.
type Config struct {
	Policy Policy
	Cache  CacheConfig
	// OnStep is told of every step after its tokens have been given out. It runs on
	// the loop and must not keep what it is given. Nil costs nothing.
	OnStep func(*StepInfo)
	// Admission decides which requests are taken, and is this engine's alone. Nil
	// takes all and costs nothing.
	Admission admission.Policy
}

// Check says what is wrong with c, if anything. What depends on the backend's sizes
// is found by New.
func (c *Config) Check() error {
	if err := c.Policy.Check(); err != nil {
		return err
	}
	if err := c.Cache.Check(); err != nil {
		return err
	}
	if k := c.Policy.ChunkAlign; k > 0 && c.Cache.Prefix && c.Cache.blockTokens()%k != 0 {
		return fmt.Errorf("engine: blocks of %d tokens are not whole chunks of %d (chunk align)", c.Cache.blockTokens(), k)
	}
	return nil
}

// client is the engine's side of a live request: what the scheduler must not see.
type client struct {
	stop Stop
	obs  Observer
}

// Stats sums up the steps so far.
type Stats struct {
	Steps      int64
	Rows       int64
	OutputRows int64
	Model      time.Duration // inside the forward pass
	Host       time.Duration // the rest of the backend's time
	// Loop is the time between steps that followed one another at once: commit,
	// plan and hand-over. 0 in virtual time.
	Loop time.Duration
	// Chained is Model + Host + Loop of those steps alone, for shares.
	Chained time.Duration
}

// New returns an engine that serves on b, which must be empty. The caller closes
// the backend.
func New(clk clock.Clock, b Backend, cfg Config) (*Engine, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	cache, err := cfg.Cache.build(b.Limits(), cfg.OnStep != nil)
	if err != nil {
		return nil, err
	}
	sched, err := NewScheduler(cfg.Policy, b.Limits(), cache)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		clk: clk, backend: b, sched: sched, live: map[int]client{}, lastEnd: -1,
		trace: tracer{tell: cfg.OnStep},
	}
	if cfg.Admission != nil {
		e.guard = newGuard(cfg.Admission, sched)
		sched.guard = e.guard
	}
	return e, nil
}

// Began says when the load began. The admission policy's times count from there, so
// that a recorded load can be decided again to the nanosecond. It is 0 until it is
// said, which must be before the first request.
func (e *Engine) Began(at time.Duration) {
	if e.guard != nil {
		e.guard.zero = at
	}
}

// Stats returns the sums so far.
func (e *Engine) Stats() Stats { return e.stats }

// Load returns how many requests wait and how many run.
func (e *Engine) Load() (waiting, running int) { return e.sched.Waiting(), e.sched.Running() }

// Err returns what made the engine fail, or nil. A failed engine ends every
// request with it.
func (e *Engine) Err() error { return e.failure }

// OnIdle sets a function that runs, on the loop, whenever no request is live and
// no step in flight: no request has a cell, or the engine has failed.
func (e *Engine) OnIdle(fn func()) { e.onIdle = fn }

// Idle says whether no request is live and no step in flight.
func (e *Engine) Idle() bool { return len(e.live) == 0 && !e.stepping }

// Submit hands in a request that arrived now. A refusal is told to the observer
// before Submit returns.
func (e *Engine) Submit(r Request, stop Stop, obs Observer) {
	now := e.clk.Now()
	err := e.failure
	if err == nil && e.guard != nil {
		err = e.guard.ask(&r, obs, now)
	}
	if err == nil {
		err = e.sched.Add(r, now)
	}
	if err != nil {
		obs.Ended(err, now)
		return
	}
	e.live[r.ID] = client{stop, obs}
	e.pump()
}

// Cancel withdraws a request. Its observer is told before Cancel returns; its
// cells are free for the next step. It is a no-op when the request has ended.
func (e *Engine) Cancel(id int) {
	e.end(id, ErrCancelled, e.clk.Now())
	e.pump()
}

func (e *Engine) end(id int, err error, at time.Duration) {
	c, ok := e.live[id]
	if !ok {
		return
	}
	delete(e.live, id)
	e.sched.Remove(id)
	e.trace.ended(id, err)
	e.guard.ended(id, err, at)
	c.obs.Ended(err, at)
}

// pump starts the next step if none is in flight.
func (e *Engine) pump() {
	if e.stepping || e.failure != nil {
		return
	}
	e.wake.Cancel()
	now := e.clk.Now()
	batch, wake := e.sched.Plan(now)
	if e.turnAway(now) && batch == nil {
		e.pump() // observers may have changed what there is to do
		return
	}
	if batch == nil {
		e.lastEnd = -1
		if wake > now {
			e.wake = e.clk.At(wake, e.pump)
		} else if e.onIdle != nil && len(e.live) == 0 {
			e.onIdle()
		}
		return
	}
	e.stepping, e.batch = true, batch
	e.trace.planned(e.sched, now, e.lastEnd)
	e.guard.planned(now)
	for _, st := range e.sched.Started() {
		if c, ok := e.live[st.ID]; ok {
			e.guard.started(st.ID, now)
			c.obs.Started(now, st.Cached)
		}
	}
	e.clk.Go(e.step, e.stepped)
}

// step runs away from the loop; until stepped, the batch and the result are its own.
func (e *Engine) step() time.Duration {
	e.stepErr = e.backend.Step(e.batch, &e.result)
	return e.result.Modelled
}

func (e *Engine) stepped(end time.Duration) {
	e.guard.stepped(end, e.stepErr)
	switch {
	case errors.Is(e.stepErr, ErrNoSlot):
		e.abandon(end)
	case e.stepErr != nil:
		e.fail(fmt.Errorf("engine step %d (%d rows): %w", e.stats.Steps, len(e.batch.Rows), e.stepErr), end)
		return
	default:
		e.deliver(end)
		e.abort()
	}
	e.trace.stepped(e, end)
	e.stepping = false
	e.pump()
}

// deliver gives out the tokens of a step.
func (e *Engine) deliver(end time.Duration) {
	e.count(end)
	for _, em := range e.sched.Commit(e.result.Tokens) {
		c, ok := e.live[em.ID]
		if !ok { // an observer withdrew it a moment ago
			continue
		}
		e.guard.emitted(em.ID)
		c.obs.Token(em.Token, end)
		if em.Last || c.stop != nil && c.stop(em.Token, em.N) {
			e.end(em.ID, nil, end)
		}
	}
}

// abandon makes room after a step for which the backend had none. It ends a request
// only when that one has the backend for itself.
func (e *Engine) abandon(end time.Duration) {
	e.lastEnd = -1
	if id, stuck := e.sched.Abandon(); stuck {
		e.end(id, fmt.Errorf("request %d: %w: it runs alone, nothing is cached, and %d rows do not fit",
			id, ErrNoSlot, len(e.batch.Rows)), end)
	}
}

// turnAway ends the requests that the admission policy decided against when they were
// about to start. It reports whether there are any. Meanwhile nothing is planned.
func (e *Engine) turnAway(now time.Duration) bool {
	if e.guard == nil || len(e.guard.turned) == 0 {
		return false
	}
	e.stepping = true
	for _, t := range e.guard.turned {
		e.end(t.id, &Refusal{Stage: BeforeStart, Reason: t.decision.Reason, RetryAfter: t.decision.RetryAfter}, now)
	}
	e.guard.turned = e.guard.turned[:0]
	e.stepping = false
	return true
}

// abort ends the running requests that the admission policy has no hope for.
func (e *Engine) abort() {
	if e.guard == nil || !e.guard.aborts {
		return
	}
	now := e.clk.Now()
	for _, id := range e.guard.hopeless(now) {
		e.end(id, &Refusal{Stage: WhileRunning, Reason: admission.Expired}, now)
	}
}

func (e *Engine) count(end time.Duration) {
	s := &e.stats
	s.Steps++
	s.Rows += int64(len(e.batch.Rows))
	s.OutputRows += int64(len(e.result.Tokens))
	s.Model += e.result.Model
	s.Host += e.result.Host
	if e.lastEnd >= 0 {
		s.Chained += end - e.lastEnd
		s.Loop += end - e.lastEnd - e.result.Model - e.result.Host
	}
	e.lastEnd = end
}

// fail ends every live request, in order of id, and refuses all later ones.
func (e *Engine) fail(err error, at time.Duration) {
	e.failure, e.stepping = err, false
	ids := make([]int, 0, len(e.live))
	for id := range e.live {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		c := e.live[id]
		delete(e.live, id)
		e.guard.ended(id, err, at)
		c.obs.Ended(err, at)
	}
	if e.onIdle != nil {
		e.onIdle()
	}
}
