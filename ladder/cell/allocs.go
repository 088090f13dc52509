package cell

import (
	"context"
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/policies"
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// The script by which allocations are counted: requests that share three quarters of
// their prompt with every fourth other one, as many at once as run, so that each kind of
// step is in it: prompts in chunks, hits, copies, and decoding alone. After some steps
// everything that grows has grown.
const (
	allocPrompt   = 256 // tokens
	allocShared   = 192
	allocPrefixes = 4
	allocOutput   = 64
	allocWarmup   = 500  // steps
	allocSteps    = 2000 // that are counted
	allocTries    = 3
	// allocSLO is one that nothing misses, so that a policy decides and refuses nothing.
	allocSLO = 24 * time.Hour
	// allocRetry is after how long a refused request is followed by the next.
	allocRetry = time.Second
)

// AllocsPerStep is how many objects are allocated per step while a simulated engine
// serves a script as the rung says: by the loop, the scheduler, the KV cache and the
// admission policy, and for the requests that come and go. It is the mean over 2000
// steps, rounded down. The script is the same whatever the machine does, and nothing
// else may run in this process meanwhile; what the runtime allocates for itself is far
// less than one object per step, and the least of three tries is taken.
func AllocsPerStep(ctx context.Context, m Machine, r spec.Rung) (int, error) {
	mean := math.Inf(1)
	for range allocTries {
		n, err := allocs(ctx, m, r)
		if err != nil {
			return 0, err
		}
		mean = min(mean, n)
	}
	return int(mean), nil
}

func allocs(ctx context.Context, m Machine, r spec.Rung) (float64, error) {
	clk, ok := m.NewClock().(*clock.Virtual)
	if !ok {
		return 0, errors.New("allocations are counted in virtual time only")
	}
	b, err := m.Open(ShapeFor([]spec.Rung{r}, allocPrompt+allocOutput))
	if err != nil {
		return 0, err
	}
	defer b.Close()
	serve := r.Engine(m.Unified())
	if r.Admits() {
		serve.Admission, err = policies.New(r.Admission, admission.Env{
			SLO: allocSLO, MaxBatch: r.Policy.MaxBatch, StepTokens: r.Policy.StepTokens, Output: func(int) int { return allocOutput },
		})
		if err != nil {
			return 0, err
		}
	}
	s := allocScript{clk: clk, together: r.Policy.MaxBatch}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if _, err := Serve(ctx, clk, b, serve, &s); err != nil {
		return 0, err
	}
	return float64(s.allocs) / float64(s.steps), nil
}

// allocScript sends a request for each that ends.
type allocScript struct {
	clk      clock.Clock
	eng      *engine.Engine
	together int
	sent     int

	counting bool
	since    runtime.MemStats
	steps    int64 // up to where it counts from; in the end, those that it counted
	allocs   uint64
}

// Begin implements Client. The script stops the clock itself.
func (s *allocScript) Begin(eng *engine.Engine, _ func()) {
	s.eng = eng
	for range s.together {
		s.send()
	}
}

// send hands in the next request.
func (s *allocScript) send() {
	prompt := make([]engine.Token, allocPrompt)
	for i := range prompt {
		prompt[i] = engine.Token(3 + s.sent%allocPrefixes)
		if i >= allocShared {
			prompt[i] = engine.Token(3 + allocPrefixes + (s.sent+i)%1000)
		}
	}
	s.sent++
	s.eng.Submit(engine.Request{ID: s.sent, Prompt: prompt, MaxTokens: allocOutput, Deadline: s.clk.Now() + allocSLO}, nil, s)
}

// Started implements engine.Observer.
func (s *allocScript) Started(time.Duration, int) {}

// Token implements engine.Observer.
func (s *allocScript) Token(engine.Token, time.Duration) {}

// Ended implements engine.Observer.
func (s *allocScript) Ended(err error, now time.Duration) {
	if err != nil { // a policy that knows nothing yet takes only what can start
		s.clk.At(now+allocRetry, s.send)
		return
	}
	steps := s.eng.Stats().Steps
	switch {
	case !s.counting && steps >= allocWarmup:
		s.counting, s.steps = true, steps
		runtime.ReadMemStats(&s.since)
	case s.counting && steps >= s.steps+allocSteps:
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		s.allocs, s.steps = now.Mallocs-s.since.Mallocs, steps-s.steps
		s.clk.Stop()
		return
	}
	s.send()
}
