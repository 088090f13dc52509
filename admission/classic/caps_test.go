package classic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
)

// busy is a snapshot with so many that wait and run.
func busy(waiting, running int) *admission.Snapshot {
	return &admission.Snapshot{Now: time.Minute, MaxBatch: toyEnv.MaxBatch, Queue: make([]admission.Work, waiting), Batch: make([]admission.Work, running)}
}

func TestInFlightCap(t *testing.T) {
	for _, c := range []struct {
		limit            float64
		waiting, running int
		admit            bool
	}{
		{0, 0, 3, true}, {0, 0, 4, false}, {0, 1, 3, false}, // 0 is the batch: 4
		{8, 3, 4, true}, {8, 4, 4, false}, {1, 0, 0, true},
	} {
		d := newArm(t, "inflight-cap", map[string]float64{"limit": c.limit}).Decide(&admission.Request{}, busy(c.waiting, c.running))
		require.Equal(t, c.admit, d.Admit, "%+v", c)
		if !c.admit {
			require.Equal(t, admission.OverLimit, d.Reason)
		}
	}
}

func TestQueuedTokensCap(t *testing.T) {
	s := busy(1, 1)
	s.Queue[0] = admission.Work{Prefill: 300, MaxTokens: 100}
	s.Batch[0] = admission.Work{Prefill: 0, Context: 500, Output: 40, MaxTokens: 100}
	// 300+100 wait, 60 are left of what runs; the new one has 150−50 and 80.
	r := &admission.Request{Prompt: 150, Cached: 50, MaxTokens: 80}
	for tokens, admit := range map[float64]bool{639: false, 640: true} {
		require.Equal(t, admit, newArm(t, "queued-tokens-cap", map[string]float64{"tokens": tokens}).Decide(r, s).Admit, "%g", tokens)
	}
	// With answers of half their limits: 300+50, 10, and 100+40.
	p := newArm(t, "queued-tokens-cap", map[string]float64{"tokens": 500, "expected": 1})
	require.False(t, p.Decide(r, s).Admit)
	p.Ended(&admission.Outcome{Request: admission.Request{MaxTokens: 100}, Output: 40, Finished: true})
	p.Ended(&admission.Outcome{Request: admission.Request{MaxTokens: 100}, Output: 60, Finished: true})
	p.Ended(&admission.Outcome{Request: admission.Request{MaxTokens: 100}, Output: 0})
	require.True(t, p.Decide(r, s).Admit)
	// What is past its expected end has one more token to give.
	s.Batch[0].Output = 99
	require.Equal(t, 1.0, tokensLeft(&s.Batch[0], 0.5))
	// One that is larger than the cap is for the idle engine.
	huge := &admission.Request{Prompt: 1e6, MaxTokens: 10}
	require.True(t, p.Decide(huge, busy(0, 0)).Admit)
	require.False(t, p.Decide(huge, busy(0, 1)).Admit)
}

func TestTokenBucket(t *testing.T) {
	p := newArm(t, "token-bucket", map[string]float64{"rate": 2, "burst": 3})
	for _, c := range []struct {
		at    float64
		admit bool
	}{
		{0, true}, {0, true}, {0, true}, {0, false}, // the burst
		{0.4, false}, {0.5, true}, {0.6, false}, {1, true}, // then one each half second
		{60, true}, {60, true}, {60, true}, {60, false}, // no more than the bucket holds
	} {
		s := busy(0, 0)
		s.Now = time.Duration(c.at * float64(time.Second))
		require.Equal(t, c.admit, p.Decide(&admission.Request{}, s).Admit, "%+v", c)
	}
}

func TestDeadlineDrop(t *testing.T) {
	const sec = time.Second
	at := func(now time.Duration, running int) *admission.Snapshot {
		s := busy(3, running)
		s.Now = now
		return s
	}
	p := newArm(t, "deadline-drop", map[string]float64{"need": 1, "weight": 0.5})
	r := &admission.Request{Arrived: 10 * sec, Deadline: 20 * sec}
	d := p.Decide(r, at(10*sec, 4))
	require.True(t, d.Admit)
	require.True(t, p.Dequeue(r, &d, at(19*sec, 3)).Admit, "nothing is known of the need")
	late := p.Dequeue(r, &d, at(20*sec, 3))
	require.False(t, late.Admit)
	require.Equal(t, admission.Expired, late.Reason)
	// From start to end it took 6 s, then 2 s: 4 s in the mean.
	p.Ended(&admission.Outcome{Request: admission.Request{Arrived: 0}, At: 9 * sec, Waited: 3 * sec, Started: true, Finished: true})
	p.Ended(&admission.Outcome{Request: admission.Request{Arrived: 0}, At: 2 * sec, Started: true, Finished: true})
	p.Ended(&admission.Outcome{Request: admission.Request{Arrived: 0}, At: 90 * sec, Started: true}) // it did not finish
	require.True(t, p.Dequeue(r, &d, at(15999*time.Millisecond, 3)).Admit)
	require.False(t, p.Dequeue(r, &d, at(16*sec, 3)).Admit)
	require.True(t, p.Dequeue(r, &d, at(19*sec, 0)).Admit, "on an engine that runs nothing else it is tried")
	require.True(t, p.Dequeue(&admission.Request{}, &d, at(99*sec, 3)).Admit, "what has no deadline is not late")
}
