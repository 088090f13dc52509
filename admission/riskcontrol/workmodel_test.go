package riskcontrol

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/predict"
)

// trained is a work model that has seen a minute of load, at most a few requests
// ahead of any.
func trained(t testing.TB) *predict.WorkModel {
	t.Helper()
	p := controlled(t, 0.05, work, 1)
	serve(p, 1, 1, 60*time.Second)
	m := p.model.(*predict.WorkModel)
	s := &admission.Snapshot{Now: time.Minute, MaxBatch: 24, StepTokens: 512}
	require.True(t, m.Predict(&admission.Request{Prompt: 550, MaxTokens: 100, Arrived: s.Now}, s, &predict.Prediction{}))
	return m
}

func someWork(r *rand.Rand, now time.Duration) admission.Work {
	w := admission.Work{Prefill: r.IntN(600), Context: r.IntN(600), MaxTokens: 16 + r.IntN(496)}
	if r.IntN(2) == 0 {
		w.Prefill, w.Output = 0, r.IntN(w.MaxTokens)
		w.Context += w.Output
	}
	w.Arrived = now - time.Duration(r.IntN(1e9))
	w.Deadline = w.Arrived + testSLO
	return w
}

func someSnapshot(r *rand.Rand, batch, queue int) *admission.Snapshot {
	s := &admission.Snapshot{Now: time.Minute, MaxBatch: 24, StepTokens: 512, FreeKV: 1, StepTime: 20 * time.Millisecond}
	for range batch {
		s.Batch = append(s.Batch, someWork(r, s.Now))
	}
	for range queue {
		w := someWork(r, s.Now)
		w.Prefill, w.Context, w.Output = max(w.Prefill, 1), 0, 0
		s.Queue = append(s.Queue, w)
	}
	return s
}

// More work ahead must never look faster, not even at a hundred times the backlog that
// was learnt from: the predecessor extrapolated into admitting everything.
func TestEstimateGrowsWithBacklog(t *testing.T) {
	m := trained(t)
	r := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		s := someSnapshot(r, 24, 2400)
		queue := s.Queue
		req := &admission.Request{ID: 1, Prompt: 550, Cached: r.IntN(550), MaxTokens: 16 + r.IntN(496), Arrived: s.Now, Deadline: s.Now + testSLO}
		var last, p predict.Prediction
		for n := 0; n <= 2400; n = n + 1 + n/2 {
			s.Queue = queue[:n]
			require.True(t, m.Predict(req, s, &p))
			for k := range p.N {
				require.GreaterOrEqual(t, p.E2E[k], last.E2E[k]-1e-9, "%d ahead, knot %d", n, k)
			}
			last = p
		}
		require.Greater(t, last.Estimate(), 60.0)
	}
}

func TestEstimateGrowsWithBatch(t *testing.T) {
	m := trained(t)
	r := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		s := someSnapshot(r, 23, 0)
		batch := s.Batch
		req := &admission.Request{ID: 1, Prompt: 550, Cached: r.IntN(550), MaxTokens: 16 + r.IntN(496), Arrived: s.Now, Deadline: s.Now + testSLO}
		last := 0.0
		for n := range batch {
			s.Batch = batch[:n]
			var p predict.Prediction
			m.Predict(req, s, &p)
			require.GreaterOrEqual(t, p.Estimate(), last-1e-9, "%d run", n)
			last = p.Estimate()
		}
	}
}

func TestLongerAnswersEndLater(t *testing.T) {
	m := trained(t)
	r := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		s := someSnapshot(r, r.IntN(25), r.IntN(20))
		var p predict.Prediction
		m.Predict(&admission.Request{Prompt: 550, MaxTokens: 16 + r.IntN(496), Arrived: s.Now}, s, &p)
		sum := 0.0
		for k := range p.N {
			sum += p.Weight[k]
			if k > 0 {
				require.GreaterOrEqual(t, p.E2E[k], p.E2E[k-1])
			}
		}
		require.InDelta(t, 1, sum, 1e-9)
	}
}

// A decision is a function of what it is given: it changes nothing of it, and what it
// is not given, such as how long answers will be, cannot change it.
func TestDecisionLeavesWhatItIsGiven(t *testing.T) {
	p := controlled(t, 0.05, work, 5)
	serve(p, 1.5, 5, 30*time.Second)
	r := rand.New(rand.NewPCG(5, 5))
	for i := range 100 {
		s := someSnapshot(r, r.IntN(25), r.IntN(5))
		req := admission.Request{ID: 1e6 + i, Class: "shared", Prompt: 550, Cached: 512, MaxTokens: 100, Arrived: s.Now, Deadline: s.Now + testSLO}
		before, err := json.Marshal(s)
		require.NoError(t, err)
		was := req
		p.Decide(&req, s)
		after, _ := json.Marshal(s)
		require.Equal(t, before, after)
		require.Equal(t, was, req)
	}
}

func TestSameHistorySameDecisions(t *testing.T) {
	a, b := serve(controlled(t, 0.05, work, 6), 3, 6, 30*time.Second), serve(controlled(t, 0.05, work, 6), 3, 6, 30*time.Second)
	require.Equal(t, a, b)
}

// Two futures that differ only in how long what runs will still take look the same until
// one of them ends.
func TestHiddenLengthsDoNotShow(t *testing.T) {
	at := []time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond, 700 * time.Millisecond}
	decisions := func(output int) (all []admission.Decision) {
		p := controlled(t, 0.05, work, 7)
		tape := workload(7, at, testSLO)
		for i := range tape {
			tape[i].MaxTokens, tape[i].output = 512, output
		}
		for _, q := range newWorld(p, testSLO, 7).run(tape) {
			all = append(all, q.decision)
		}
		return all
	}
	require.Equal(t, decisions(300), decisions(512))
}

func TestDecisionAllocatesNothing(t *testing.T) {
	p := controlled(t, 0.05, work, 8)
	serve(p, 3, 8, 60*time.Second)
	r := rand.New(rand.NewPCG(8, 8))
	s := someSnapshot(r, 24, 300)
	req := &admission.Request{ID: 1e6, Class: "shared", Prompt: 550, Cached: 512, MaxTokens: 100, Arrived: s.Now, Deadline: s.Now + testSLO}
	p.Decide(req, s)
	p.lastTaken = s.Now
	require.Zero(t, testing.AllocsPerRun(100, func() { p.Decide(req, s) }))
}
