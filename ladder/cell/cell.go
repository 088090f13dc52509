// Package cell measures one cell: a rung under the load of one tape, on a machine. It
// writes no file. A Setup wires clock, backend, engine, admission policy and load driver,
// runs them, and returns the cell and its rows; the sweep, the gate, tuning and the
// profiler all run cells this way. Closed loops (the speed probe, the measurements that
// choose rates) and replays run their engines by the same function, Serve.
package cell

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"strconv"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/record"
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// Config says which load a cell offers and how it is judged.
type Config struct {
	Workload string        // as loadgen.ParseWorkload takes it
	Arrivals string        // as loadgen.ParseArrivals takes it; "": the workload's own
	Duration time.Duration // arrivals are offered over [0, Duration)
	Warmup   time.Duration // arrivals before it are flagged
	Timeout  time.Duration // a client gives up this long after its intended arrival
	SLO      time.Duration // E2E objective
	Stop     StopMode
	// Temperature 0 decodes greedily; above it, every request samples with its own seed.
	Temperature float64
	// Roofline measures, before the load, how fast the idle engine could do its work.
	Roofline bool
	// Fitted is what admission policies start from; nil: from nothing.
	Fitted *admission.Fitted
}

// Setup is a cell to be measured.
type Setup struct {
	Key     results.Key
	Machine Machine // nil for a server
	Rung    spec.Rung
	Shape   Shape
	Config  Config
	Server  *Server // measured instead of an engine; nil: the engine

	// NoProbes leaves out the speed probes before and after the load.
	NoProbes bool
	// OnArrival tokenises a prompt when it arrives, on the loop, as a server does.
	OnArrival bool
	// TraceSteps keeps a row for every step, and TraceDecisions one for every decision of
	// the admission policy.
	TraceSteps, TraceDecisions bool
	// Tick is shown the state of the cell every quarter of a second; it may be nil.
	Tick func(Status)
	// CPU reads the CPU time that this process has taken; nil leaves it unmeasured.
	CPU func() results.Opt[time.Duration]
	// System reads what the machine has done so far; nil leaves it unmeasured.
	System func() results.System
	// Around runs the loop of the load, for a profiler; nil just calls it.
	Around func(loop func() error) error
}

// Result is a measured cell.
type Result struct {
	Cell      results.Cell // but for its Order and StartedAt
	Records   []results.Record
	Steps     []results.StepRow // nil unless traced
	Decisions []record.Row      // nil unless traced, or without a policy
	Stats     engine.Stats
	Took      time.Duration // of the load, on its clock
}

// Status is how far a cell is.
type Status struct {
	Elapsed time.Duration
	loadgen.Counts
	Queued, Running int // in the engine
}

// BackendHTTP is the backend of cells that were measured on a server.
const BackendHTTP = "http"

// tickEvery is how often a cell's Status is shown.
const tickEvery = 250 * time.Millisecond

// Run measures the cell under a tape, on a fresh backend.
func (s *Setup) Run(ctx context.Context, t *Tape) (*Result, error) {
	cfg := &s.Config
	r := &Result{Cell: results.Cell{
		Key: s.Key, Backend: BackendHTTP, Workload: cfg.Workload, Arrivals: t.Arrivals, TapeHash: t.Hash,
		DurationS: cfg.Duration.Seconds(), WarmupS: cfg.Warmup.Seconds(),
		TimeoutS: cfg.Timeout.Seconds(), SLOS: cfg.SLO.Seconds(),
		Requests: results.Some(len(t.Requests)), ArrivalRPS: t.ArrivalRPS,
	}}
	if s.Server != nil {
		return r, s.server(ctx, t, r)
	}
	return r, s.embedded(ctx, t, r)
}

// embedded measures a cell on a fresh backend: probe, load, probe.
func (s *Setup) embedded(ctx context.Context, t *Tape, r *Result) error {
	b, err := s.open()
	if err != nil {
		return err
	}
	defer b.Close()
	stopAbort := context.AfterFunc(ctx, b.Abort)
	defer stopAbort()
	cell := &r.Cell
	cell.Backend, cell.Params = s.Machine.Backend(), maps.Clone(s.Machine.Params())
	maps.Copy(cell.Params, s.Rung.Params())
	cell.Params["sequences"], cell.Params["context"] = strconv.Itoa(s.Shape.Seqs), strconv.Itoa(s.Shape.SeqCells)
	cell.Violations = plantedViolation(cell.Params)

	if err := s.probe(ctx, b, &cell.ProbeBefore); err != nil {
		return err
	}
	if s.Config.Roofline {
		if cell.Roofline, err = s.roofline(ctx, b, t); err != nil {
			return err
		}
	}
	simulated, _ := b.(SimulatedBackend)
	if simulated == nil {
		runtime.GC() // what earlier cells left is not this cell's to pay for
	}
	share := shareBeyond(simulated)
	if err := s.load(ctx, b, t, r); err != nil {
		return err
	}
	cell.Extrapolated = share()
	cell.UpperRequests = upper(s.Machine, &s.Config, s.Rung.Caches(), t)
	for i := range r.Records {
		r.Records[i].SharedTokens = t.shared[r.Records[i].Request]
	}
	if s.NoProbes {
		return nil
	}
	if err := Reset(b); err != nil {
		return err
	}
	return s.probe(ctx, b, &cell.ProbeAfter)
}

func (s *Setup) probe(ctx context.Context, b engine.Backend, into *results.Opt[results.Probe]) error {
	if s.NoProbes {
		return nil
	}
	p, err := Probe(ctx, s.Machine, b)
	*into = results.Some(p)
	return err
}

// open makes the cell's backend. A simulated one draws from the cell's name, so that
// two rungs have their own luck on one tape.
func (s *Setup) open() (engine.Backend, error) {
	if sim, ok := s.Machine.(Simulator); ok {
		return sim.OpenSeeded(s.Shape, hashOf(s.Key.Name()))
	}
	return s.Machine.Open(s.Shape)
}

// shareBeyond returns a function that gives the share of a simulated backend's steps
// from now on that its model extrapolated, and null for b nil.
func shareBeyond(b SimulatedBackend) func() results.Opt[float64] {
	if b == nil {
		return func() (none results.Opt[float64]) { return none }
	}
	beyond, all := b.Extrapolated()
	return func() results.Opt[float64] {
		n, steps := b.Extrapolated()
		return results.Some(float64(n-beyond) / float64(max(1, steps-all)))
	}
}

// load offers the tape to an engine until every request has ended and the engine is idle
// again.
func (s *Setup) load(ctx context.Context, b engine.Backend, t *Tape, r *Result) error {
	serve := s.Rung.Engine(s.Machine.Unified())
	trace := StepTrace{BlockTokens: max(1, serve.Cache.BlockTokens)}
	if s.TraceSteps {
		trace.Steps, serve.OnStep = []results.StepRow{}, trace.Add
	}
	policy, slo, err := Admission(s.Rung, &s.Config, b.Limits(), s.Key, t.Tape)
	if err != nil {
		return err
	}
	var recorder *record.Recorder
	switch {
	case policy != nil && s.TraceDecisions:
		recorder = record.NewRecorder(policy)
		serve.Admission = recorder
	case policy != nil:
		serve.Admission = policy
	}
	clk := s.Machine.NewClock()
	to := &target{
		clk: clk, temperature: float32(s.Config.Temperature), stop: s.Config.Stop, eog: s.Machine.EOG,
		prefix: s.Rung.Caches(), slo: slo,
		prompt: func(q *loadgen.Request) ([]engine.Token, error) { return t.Prompts[q.Index], nil },
	}
	if s.OnArrival {
		to.prompt = func(q *loadgen.Request) ([]engine.Token, error) {
			return s.Machine.Encode(q.System, q.User, q.History...)
		}
	}
	d := &offering{clk: clk, target: to, tick: s.Tick}
	err = s.offer(clk, t, to, d, r, func() (err error) {
		r.Stats, err = Serve(ctx, clk, b, serve, d)
		return err
	})
	if err != nil {
		return err
	}
	trace.since(d.driver.Began())
	r.Steps = trace.Steps
	if recorder != nil {
		if r.Decisions = recorder.Rows; r.Decisions == nil {
			r.Decisions = []record.Row{}
		}
	}
	st := r.Stats
	r.Cell.Steps = results.Steps{
		Count: st.Steps, Rows: st.Rows, OutputRows: st.OutputRows,
		ModelS: st.Model.Seconds(), HostS: st.Host.Seconds(), ScheduleS: st.Loop.Seconds(),
	}
	return nil
}

// offering is a tape that is being offered. It is the Client of an engine; a server has
// none.
type offering struct {
	clk    clock.Clock
	driver *loadgen.Driver
	target *target // nil for a server
	tick   func(Status)
	over   func()
}

// Begin implements Client.
func (o *offering) Begin(eng *engine.Engine, over func()) {
	o.over = over
	if eng != nil {
		o.target.eng = eng
	}
	o.driver.Start()
	if eng != nil {
		eng.Began(o.driver.Began())
	}
	if o.tick != nil {
		o.show()
	}
}

func (o *offering) show() {
	st := Status{Elapsed: o.clk.Now(), Counts: o.driver.Counts()}
	if o.target != nil {
		st.Queued, st.Running = o.target.eng.Load()
	}
	o.tick(st)
	o.clk.At(o.clk.Now()+tickEvery, o.show)
}

// offer makes the driver, runs the loop, and puts what the driver saw into r.
func (s *Setup) offer(clk clock.Clock, t *Tape, to loadgen.Target, o *offering, r *Result, loop func() error) (err error) {
	o.driver, err = loadgen.NewDriver(clk, t.Tape, to, loadgen.DriverConfig{
		Timeout: s.Config.Timeout, Warmup: s.Config.Warmup, Scripted: s.Config.Stop == StopScripted,
		Done: func() { o.over() },
	})
	if err != nil {
		return err
	}
	if s.Around != nil {
		inner := loop
		loop = func() error { return s.Around(inner) }
	}
	cpu, disturbed := s.cpuTime(), s.disturbance()
	if err := loop(); err != nil {
		return err
	}
	cell := &r.Cell
	cell.Usage, r.Took = usage(clk, cpu, s.cpuTime(), s.Server == nil), clk.Now()
	cell.Disturbance = disturbed(cell.Usage)
	r.Records = o.driver.Records()
	for _, rec := range r.Records {
		cell.EndedS = max(cell.EndedS, rec.Ended.V.Seconds())
	}
	if late := o.driver.Late(); late.Tokens+late.Dones > 0 {
		cell.Violations = append(cell.Violations, fmt.Sprintf("%d tokens and %d ends came after their request had ended", late.Tokens, late.Dones))
	}
	cell.OutstandingS = results.Some(o.driver.Outstanding())
	return nil
}

// disturbance begins to watch the machine. The function that it returns says what else the
// machine did meanwhile, beside what the process took of it.
func (s *Setup) disturbance() func(results.Opt[results.Usage]) (d results.Opt[results.Disturbance]) {
	var before results.System
	if s.System != nil {
		before = s.System()
	}
	return func(own results.Opt[results.Usage]) (d results.Opt[results.Disturbance]) {
		if s.System != nil && own.OK {
			seconds := func(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }
			d = results.Some(s.System().Since(before, seconds(own.V.CPUS), seconds(own.V.WallS)))
		}
		return d
	}
}

// cpuTime is the CPU time that this process has taken so far, if somebody can tell.
func (s *Setup) cpuTime() results.Opt[time.Duration] {
	if s.CPU == nil {
		return results.Opt[time.Duration]{}
	}
	return s.CPU()
}

// usage is what the process took of the machine between two readings of its CPU
// time, while clk ran. In virtual time the two have nothing to do with each other.
func usage(clk clock.Clock, before, after results.Opt[time.Duration], inside bool) results.Opt[results.Usage] {
	if _, wall := clk.(*clock.Wall); !wall || !before.OK || !after.OK {
		return results.Opt[results.Usage]{}
	}
	return results.Some(results.Usage{
		CPUS: (after.V - before.V).Seconds(), WallS: clk.Now().Seconds(), Cores: runtime.GOMAXPROCS(0), EngineInside: inside,
	})
}
