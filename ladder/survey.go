package ladder

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// Survey says how fast a machine serves each rung, without a sweep: in closed loops,
// which ask how fast an engine is and not how it behaves under load.
type Survey struct {
	Machine cell.Machine
	Rungs   []spec.Rung   // ascending; the first serves one request at a time
	Limit   time.Duration // for each rung with a full queue; half of it at lower loads
	// Begin is told which rung is next and under which load, and Step of every step.
	// Either may be nil.
	Begin func(what string)
	Step  func(*engine.StepInfo)
}

// Surveyed is what a survey found.
type Surveyed struct {
	Idle   Idle
	Served int // requests that Idle is from
	Rungs  []rungRate
	Rates  []float64     // that bracket the knee of every rung, requests/s
	SLO    time.Duration // as Idle.SLO gives it
}

// rungRate is the rate that a rung serves at most.
type rungRate struct {
	Rung string
	RPS  float64 // requests/s of the workload that it gets through with a full queue
}

const (
	// surveyRates is how many rates a survey proposes, as many as the full preset has.
	surveyRates = 6
	// fewTogether is a load at which the rungs that refill are neither idle nor full.
	fewTogether = 6
)

// surveyConfig has the workload that a survey serves: the ladder's own.
func surveyConfig() Config {
	return Config{Workload: loadgen.SharedPrompt, Stop: cell.StopScripted}
}

// Trial is the work of a survey. It costs some seconds to tokenise, and serves
// every survey on machines of the same model.
type Trial struct {
	Shape         cell.Shape // that the survey's backends must have
	LongestPrompt int        // tokens
	trial
}

// NewTrial draws a trial for surveys of these rungs.
func NewTrial(m cell.Machine, rungs []spec.Rung) (Trial, error) {
	s := Sweep{Machine: m}
	t, err := s.trial(surveyConfig(), cell.NewTapes(m))
	return Trial{cell.ShapeFor(rungs, t.longest), t.longestPrompt(), t}, err
}

// Run serves the trial on b, which must be empty and of the trial's shape: one request
// at a time, then on each further rung with a full queue, and on those that refill
// also with a few at once. It leaves b empty. When ctx ends so does b.
func (s *Survey) Run(ctx context.Context, b engine.Backend, t Trial) (Surveyed, error) {
	stop := context.AfterFunc(ctx, b.Abort)
	defer stop()
	got, err := s.run(ctx, b, t.trial)
	if errors.Is(err, engine.ErrAborted) && ctx.Err() != nil {
		err = ctx.Err()
	}
	return got, err
}

func (s *Survey) run(ctx context.Context, b engine.Backend, t trial) (Surveyed, error) {
	var got Surveyed
	if _, err := cell.Probe(ctx, s.Machine, b); err != nil { // warms the engine up
		return got, err
	}
	var err error
	serve := s.engine(s.Rungs[0], "one at a time")
	if got.Idle, got.Served, err = measureIdle(ctx, s.Machine, b, serve, t.work, s.Limit/2); err != nil {
		return got, err
	}
	fifo, top := got.Idle.capacity(t.lengths), 0.0
	got.Rungs = []rungRate{{s.Rungs[0].Name, fifo}}
	for _, rung := range s.Rungs[1:] {
		if rung.Admits() { // a closed loop asks how fast it is, which is as without
			continue
		}
		speed, err := s.full(ctx, b, rung, t.work, got.Idle)
		if err != nil {
			return got, fmt.Errorf("survey of %s: %w", rung.Name, err)
		}
		got.Rungs = append(got.Rungs, rungRate{rung.Name, speed * fifo})
		top = max(top, speed*fifo)
	}
	got.Rates, got.SLO = Rates(fifo, top, surveyRates), got.Idle.SLO(t.lengths)
	return got, cell.Reset(b)
}

// full serves with a full queue, and returns how many times faster that is than one
// request at a time; then, if the rung refills, with a few together.
func (s *Survey) full(ctx context.Context, b engine.Backend, rung spec.Rung, work []cell.Exchange, idle Idle) (float64, error) {
	if err := cell.Reset(b); err != nil {
		return 0, err
	}
	speed, err := measureSaturated(ctx, s.Machine, b, s.engine(rung, "full"), work, idle, s.Limit)
	if err != nil || !rung.Refills() {
		return speed, err
	}
	if err := cell.Reset(b); err != nil {
		return 0, err
	}
	_, _, err = cell.Closed(ctx, s.Machine.NewClock(), b, s.engine(rung, "a few together"), work, fewTogether, s.Limit/2)
	return speed, err
}

func (s *Survey) engine(rung spec.Rung, load string) engine.Config {
	if s.Begin != nil {
		s.Begin(rung.Name + ", " + load)
	}
	cfg := rung.Engine(s.Machine.Unified())
	cfg.OnStep = s.Step
	return cfg
}

// Bound sets the rungs' bound of idle cached cells to what a RetainRule chose.
func Bound(rungs []spec.Rung, choice results.Choice) error {
	cells, err := strconv.Atoi(choice.Value)
	if err != nil {
		return fmt.Errorf("choice of %s: %w", choice.Name, err)
	}
	for i := range rungs {
		if rungs[i].Caches() {
			rungs[i].Cache.RetainCells = cells
		}
	}
	return nil
}
