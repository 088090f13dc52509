package loadgen

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/results"
)

// plan is what a random target will do with one request, and so what the record
// must show.
type plan struct {
	refuse  bool            // Done within Send
	tokens  []time.Duration // after being sent
	end     time.Duration   // after being sent; 0: never
	outcome results.Outcome
	deaf    bool // goes on after a cancel
	ack     bool // answers a cancel with Done
}

func randomPlan(r *rand.Rand) plan {
	p := plan{refuse: r.IntN(6) == 0, deaf: r.IntN(5) == 0, ack: r.IntN(2) == 0,
		outcome: []results.Outcome{results.Completed, results.Failed, results.Cancelled}[r.IntN(3)]}
	at := time.Duration(0)
	for range r.IntN(6) {
		at += time.Duration(1 + r.IntN(int(3*time.Second)))
		p.tokens = append(p.tokens, at)
	}
	if r.IntN(4) > 0 {
		p.end = at + 1
	}
	return p
}

// play carries a plan out on the clock.
func (p plan) play(c clock.Clock, to Sink) (cancel func()) {
	if p.refuse {
		to.Done(results.Shed, "no", c.Now())
		return nil
	}
	sent := c.Now()
	var timers []clock.Timer
	for _, at := range p.tokens {
		timers = append(timers, c.At(sent+at, func() { to.Token(c.Now()) }))
	}
	if p.end > 0 {
		timers = append(timers, c.At(sent+p.end, func() { to.Done(p.outcome, "", c.Now()) }))
	}
	return func() {
		if !p.deaf {
			for _, timer := range timers {
				timer.Cancel()
			}
		}
		if p.ack {
			to.Done(results.Cancelled, "", c.Now())
		}
	}
}

// expect is the record's outcome, tokens and end by the plan alone, and the
// calls that come late.
func (p plan) expect(r *results.Record, timeout time.Duration) (outcome results.Outcome, tokens int, ended time.Duration, late Late) {
	sent, deadline := r.Sent.V, r.Intended+timeout
	if p.refuse {
		return results.Shed, 0, sent, Late{}
	}
	if p.end > 0 && sent+p.end < deadline {
		return p.outcome, len(p.tokens), sent + p.end, Late{}
	}
	for _, at := range p.tokens {
		if sent+at < deadline {
			tokens++
		}
	}
	if p.deaf {
		late.Tokens = len(p.tokens) - tokens
		if p.end > 0 && p.ack {
			late.Dones = 1
		}
	}
	return results.TimedOut, tokens, deadline, late
}

// Every arrival ends in exactly one outcome, whatever the target does, and its
// record is what the target did before the end.
func TestRandomTargets(t *testing.T) {
	reached := map[results.Outcome]int{}
	var late Late
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := clock.NewVirtual()
		tape := tapeAt(make([]float64, 1+r.IntN(60))...)
		at := time.Duration(0)
		for i := range tape.Requests {
			at += time.Duration(r.IntN(3)) * time.Duration(r.IntN(int(time.Second))) // some arrive together
			tape.Requests[i].At = at
		}
		plans := make([]plan, len(tape.Requests))
		sends := 0
		target := targetFunc(func(req *Request, to Sink) func() {
			require.Equal(t, sends, req.Index, "sent in order, each once")
			sends++
			plans[req.Index] = randomPlan(r)
			return plans[req.Index].play(c, to)
		})
		timeout := time.Duration(1 + r.IntN(int(12*time.Second)))
		d := run(t, c, tape, target, DriverConfig{Timeout: timeout})
		require.Equal(t, len(tape.Requests), sends)

		var want Late
		for i := range d.Records() {
			rec := &d.Records()[i]
			outcome, tokens, ended, l := plans[i].expect(rec, timeout)
			want.Tokens += l.Tokens
			want.Dones += l.Dones
			reached[outcome]++
			require.Equal(t, results.Some(tape.Requests[i].At), rec.Sent)
			require.Equal(t, outcome, rec.Outcome, "request %d: %+v", i, plans[i])
			require.Equal(t, results.Some(ended), rec.Ended)
			require.Len(t, rec.Tokens, tokens)
			for k, token := range rec.Tokens {
				require.Equal(t, rec.Sent.V+plans[i].tokens[k], token)
			}
		}
		require.Equal(t, want, d.Late())
		late.Tokens += want.Tokens
		late.Dones += want.Dones
	}
	t.Logf("outcomes %v, late calls %+v", reached, late)
	for _, o := range []results.Outcome{results.Completed, results.Shed, results.TimedOut, results.Cancelled, results.Failed} {
		require.NotZero(t, reached[o], o)
	}
	require.NotZero(t, late.Tokens)
	require.NotZero(t, late.Dones)
}
