package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/engine/clock"
)

const ms = time.Millisecond

// script is a policy whose answers a test gives, and that writes down what it is told.
type script struct {
	admission.Base
	now      func() time.Duration
	decide   func(*admission.Request, *admission.Snapshot) bool
	dequeue  func(*admission.Request) bool
	hopeless func(*admission.Request) bool
	log      []string
	steps    int
}

func (s *script) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf("%v ", s.now())+fmt.Sprintf(format, args...))
}

func (s *script) Decide(r *admission.Request, snap *admission.Snapshot) admission.Decision {
	s.note("decide %d: %v, %d+%d", r.ID, snap.Regime(), len(snap.Queue), len(snap.Batch))
	return admission.Decision{Admit: s.decide == nil || s.decide(r, snap), Reason: admission.OverLimit}
}

func (s *script) Dequeue(r *admission.Request, _ *admission.Decision, snap *admission.Snapshot) admission.Decision {
	s.note("dequeue %d: %d+%d", r.ID, len(snap.Queue), len(snap.Batch))
	return admission.Decision{Admit: s.dequeue == nil || s.dequeue(r), Reason: admission.Expired}
}

func (s *script) Aborts() bool { return s.hopeless != nil }

func (s *script) Hopeless(r *admission.Request, _ *admission.Work, _ *admission.Snapshot) bool {
	return s.hopeless(r)
}

func (s *script) Stepped(admission.Step)        { s.steps++ }
func (s *script) Labelled(o *admission.Outcome) { s.note("label %s", outcomeText(o)) }
func (s *script) Ended(o *admission.Outcome)    { s.note("end %s", outcomeText(o)) }
func outcomeText(o *admission.Outcome) (t string) {
	t = fmt.Sprintf("%d at %v", o.Request.ID, o.At)
	for _, f := range []struct {
		on   bool
		word string
	}{{o.Violated, "violated"}, {o.Dropped, "dropped"}, {o.Aborted, "aborted"}, {o.Finished, "finished"}, {!o.Started, "never started"}} {
		if f.on {
			t += " " + f.word
		}
	}
	return t + fmt.Sprintf(", waited %v, %d tokens", o.Waited, o.Output)
}

// guarded serves requests one at a time, with steps of a good millisecond.
func guarded(t *testing.T, p *script) (*clock.Virtual, *Engine) {
	t.Helper()
	clk := clock.NewVirtual()
	p.now = clk.Now
	e, err := New(clk, newBackend(Limits{Seqs: 8, SeqCells: 100, Cells: 250, Rows: 32}), Config{Policy: Policy{MaxBatch: 1, StepTokens: 32, Refill: true}, Admission: p})
	require.NoError(t, err)
	return clk, e
}

func TestAdmissionStories(t *testing.T) {
	submit := func(e *Engine, id, tokens int, deadline time.Duration, l *life) {
		e.Submit(Request{ID: id, Prompt: []Token{1}, MaxTokens: tokens, Deadline: deadline}, nil, l)
	}
	t.Run("a label at the deadline comes before whatever is asked later", func(t *testing.T) {
		p := &script{}
		clk, e := guarded(t, p)
		lives := []*life{{}, {}}
		clk.At(0, func() { submit(e, 0, 5, 2*ms, lives[0]) })
		clk.At(3*ms, func() { submit(e, 1, 1, 0, lives[1]) })
		require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
		require.Equal(t, []string{
			"0s decide 0: idle, 0+0",
			"2.02ms label 0 at 2ms violated, waited 0s, 1 tokens",
			"3ms decide 1: queued, 0+1",
			"5.05ms end 0 at 5.05ms violated finished, waited 0s, 5 tokens",
			"5.05ms dequeue 1: 0+0",
			"6.06ms label 1 at 6.06ms finished, waited 2.05ms, 1 tokens",
			"6.06ms end 1 at 6.06ms finished, waited 2.05ms, 1 tokens",
		}, p.log)
	})
	t.Run("what is dropped was taken, and what follows it starts", func(t *testing.T) {
		p := &script{dequeue: func(r *admission.Request) bool { return r.ID != 1 }}
		clk, e := guarded(t, p)
		lives := []*life{{}, {}, {}, {}}
		clk.At(0, func() {
			for id, l := range lives {
				submit(e, id, 1, 0, l)
			}
		})
		require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
		require.Equal(t, &Refusal{Stage: BeforeStart, Reason: admission.Expired}, lives[1].err)
		require.EqualError(t, lives[1].err, "shed before its start: expired")
		require.Equal(t, 1010*time.Microsecond, lives[1].endedAt)
		require.Equal(t, lives[1].endedAt, lives[2].started)
		require.Contains(t, p.log, "1.01ms label 1 at 1.01ms violated dropped never started, waited 1.01ms, 0 tokens")
		require.NoError(t, lives[3].err)
	})
	t.Run("the last one is dropped, and the engine is idle", func(t *testing.T) {
		p := &script{dequeue: func(*admission.Request) bool { return false }}
		clk, e := guarded(t, p)
		idle := 0
		e.OnIdle(func() { idle++ })
		lives := []*life{{}, {}, {}}
		clk.At(0, func() { submit(e, 0, 1, 0, lives[0]); submit(e, 1, 1, 0, lives[1]) })
		require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
		require.ErrorIs(t, lives[1].err, ErrShed)
		require.Equal(t, 1, idle)
		require.True(t, e.Idle())
	})
	t.Run("an observer of a drop may submit and cancel", func(t *testing.T) {
		p := &script{dequeue: func(r *admission.Request) bool { return r.ID != 1 }}
		clk, e := guarded(t, p)
		lives := []*life{{}, {}, {}, {}}
		again := endedBy(func() { submit(e, 3, 1, 0, lives[3]); e.Cancel(2) })
		clk.At(0, func() {
			submit(e, 0, 1, 0, lives[0])
			e.Submit(Request{ID: 1, Prompt: []Token{1}, MaxTokens: 1}, nil, again)
			submit(e, 2, 4, 0, lives[2])
		})
		require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
		require.ErrorIs(t, lives[2].err, ErrCancelled)
		require.NoError(t, lives[3].err)
		require.True(t, e.Idle())
	})
	t.Run("what is aborted frees its place at once", func(t *testing.T) {
		p := &script{}
		p.hopeless = func(r *admission.Request) bool { return r.ID == 0 && p.now() > 2*ms }
		clk, e := guarded(t, p)
		lives := []*life{{}, {}}
		clk.At(0, func() { submit(e, 0, 50, 9*ms, lives[0]); submit(e, 1, 1, 0, lives[1]) })
		require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
		require.Equal(t, WhileRunning, lives[0].err.(*Refusal).Stage)
		require.Equal(t, lives[0].endedAt, lives[1].started)
		require.Contains(t, p.log, "2.02ms label 0 at 2.02ms violated aborted, waited 0s, 2 tokens")
	})
	t.Run("a refusal says when to come back, and nothing else is told", func(t *testing.T) {
		p := &script{decide: func(*admission.Request, *admission.Snapshot) bool { return false }}
		clk, e := guarded(t, p)
		l := &life{}
		clk.At(ms, func() { submit(e, 0, 1, 0, l); require.Equal(t, 1, l.ended, "before Submit returns") })
		require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
		require.EqualError(t, l.err, "shed on arrival: over-limit")
		require.Equal(t, []string{"1ms decide 0: idle, 0+0"}, p.log)
	})
	t.Run("a client that gives up before the deadline counts as a violation", func(t *testing.T) {
		p := &script{}
		clk, e := guarded(t, p)
		clk.At(0, func() { submit(e, 0, 50, time.Second, &life{}) })
		clk.At(ms, func() { e.Cancel(0) })
		require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
		require.Contains(t, p.log, "1ms label 0 at 1ms violated, waited 0s, 0 tokens")
	})
	t.Run("times count from the start of the load and from the intended arrival", func(t *testing.T) {
		p := &script{}
		clk, e := guarded(t, p)
		clk.At(ms, func() { e.Began(ms) })
		clk.At(3*ms, func() {
			e.Submit(Request{ID: 0, Prompt: []Token{1}, MaxTokens: 1, Late: ms, Deadline: 9 * ms}, nil, &life{})
		})
		require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
		require.Contains(t, p.log, "4.01ms end 0 at 3.01ms finished, waited 1ms, 1 tokens")
	})
	t.Run("an engine that fails ends what it has taken", func(t *testing.T) {
		p := &script{}
		clk, e := guarded(t, p)
		e.backend.(*testBackend).err = fmt.Errorf("device lost")
		clk.At(0, func() { submit(e, 0, 2, 0, &life{}); submit(e, 1, 2, 0, &life{}) })
		require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
		require.Error(t, e.Err())
		require.Len(t, p.log, 6, p.log)
		require.Zero(t, p.steps)
	})
}

// endedBy is an observer that does something when its request has ended.
type endedBy func()

func (endedBy) Started(time.Duration, int)   {}
func (endedBy) Token(Token, time.Duration)   {}
func (f endedBy) Ended(error, time.Duration) { f() }

// loaded is an engine in the middle of a load: a full batch, and so many who wait.
func loaded(tb testing.TB, p admission.Policy, waiting int) (*clock.Virtual, *Engine) {
	tb.Helper()
	clk := clock.NewVirtual()
	lim := Limits{Seqs: 72, SeqCells: 1024, Cells: 72 * 1024, Rows: 512}
	e, err := New(clk, newBackend(lim), Config{
		Policy: Policy{MaxBatch: 24, StepTokens: 512, Refill: true, DecodeFirst: true}, Cache: CacheConfig{Paged: true, Prefix: true}, Admission: p,
	})
	require.NoError(tb, err)
	clk.At(0, func() {
		for id := range 24 + waiting {
			e.Submit(Request{ID: id, Prompt: longPrompt(id), MaxTokens: 100, Deadline: time.Hour}, nil, &life{})
		}
	})
	clk.At(200*ms, clk.Stop)
	require.NoError(tb, clk.Run(tb.Context()))
	require.Equal(tb, waiting, e.sched.Waiting())
	return clk, e
}

func longPrompt(id int) []Token {
	prompt := make([]Token, 540)
	for i := range prompt {
		prompt[i] = Token(i)
		if i > 500 {
			prompt[i] += Token(1000 * id)
		}
	}
	return prompt
}

// TestAskingAllocatesNothing: neither the snapshot nor the question does.
func TestAskingAllocatesNothing(t *testing.T) {
	for _, waiting := range []int{0, 32} {
		_, e := loaded(t, admission.Base{}, waiting)
		g := e.guard
		q := g.line.waiting
		r := Request{ID: 1 << 20, Prompt: longPrompt(7), MaxTokens: 50}
		g.decide(&r, nil, e.clk.Now())
		require.Zero(t, testing.AllocsPerRun(100, func() { g.decide(&r, nil, e.clk.Now()) }))
		if waiting > 2 {
			g.snapshot(q[1], e.clk.Now())
			require.Zero(t, testing.AllocsPerRun(100, func() { g.snapshot(q[1], e.clk.Now()) }))
		}
	}
}

// BenchmarkSubmitDecide is what a decision costs beside the policy's own work: the probe
// of a prompt of 540 tokens and the snapshot, with a batch of 24.
func BenchmarkSubmitDecide(b *testing.B) {
	for _, waiting := range []int{0, 32, 256} {
		b.Run(fmt.Sprintf("queue=%d", waiting), func(b *testing.B) {
			_, e := loaded(b, admission.Base{}, waiting)
			r := Request{ID: 1 << 20, Prompt: longPrompt(7), MaxTokens: 50}
			b.ReportAllocs()
			for b.Loop() {
				e.guard.decide(&r, nil, e.clk.Now())
			}
		})
	}
}
