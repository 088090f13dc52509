package ladder

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"runtime"
	"strconv"
	"time"

	"github.com/cadence-bench/cadence-bench/admission/record"
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// Status is how far a cell is.
type Status struct {
	Elapsed time.Duration
	loadgen.Counts
	Queued, Running int // in the engine
}

// backendHTTP is the backend of cells that were measured on a server.
const backendHTTP = "http"

// tickEvery is how often a cell's Status is shown.
const tickEvery = 250 * time.Millisecond

// cellRun is one cell under way.
type cellRun struct {
	m      Machine
	cfg    Config
	rung   spec.Rung
	shape  Shape
	tokens *encoder
	tick   func(Status)
	trace  *trace // nil does not trace
	hash   string // of the tape, as the manifest has it
	cpu    func() results.Opt[time.Duration]

	recordDecisions bool
	recorder        *record.Recorder // of the cell's decisions, if they are and it makes any

	// For a rung that is a server:
	key    string   // to get in
	models []string // that it has
	mark   string   // of this cell
}

// run measures one cell. The cell's Order and StartedAt are the caller's to set.
func (c *cellRun) run(ctx context.Context, key results.Key) (results.Cell, []results.Record, error) {
	tape, hash, o, err := c.tokens.offered(&c.cfg, key.OfferedRPS, key.Seed, c.rung.External == nil)
	if err != nil {
		return results.Cell{}, nil, err
	}
	if hash != c.hash {
		return results.Cell{}, nil, fmt.Errorf("the tape of %g/s and seed %d has the hash %s, and %s when the run was started: has a file of %s changed?", key.OfferedRPS, key.Seed, hash, c.hash, c.cfg.Workload)
	}
	cell := results.Cell{
		Key: key, Backend: backendHTTP, Workload: c.cfg.Workload, Arrivals: tape.Arrivals, TapeHash: hash,
		DurationS: c.cfg.Duration.Seconds(), WarmupS: c.cfg.Warmup.Seconds(),
		TimeoutS: c.cfg.Timeout.Seconds(), SLOS: c.cfg.SLO.Seconds(),
		Requests: results.Some(len(tape.Requests)),
	}
	if cell.ArrivalRPS, err = c.cfg.arrivalRate(key.OfferedRPS); err != nil {
		return cell, nil, err
	}
	var records []results.Record
	if c.rung.External != nil {
		records, err = c.external(ctx, tape, &cell)
	} else {
		records, err = c.embedded(ctx, o, &cell)
	}
	return cell, records, err
}

// embedded measures a cell on a fresh backend: probe, load, probe.
func (c *cellRun) embedded(ctx context.Context, o *offer, cell *results.Cell) ([]results.Record, error) {
	b, err := c.open(cell.Key)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	stopAbort := context.AfterFunc(ctx, b.Abort)
	defer stopAbort()
	cell.Backend, cell.Params = c.m.Backend(), c.params()
	cell.Violations = plantedViolation(cell.Params)

	before, err := probe(ctx, c.m, b)
	if err != nil {
		return nil, err
	}
	simulated, _ := b.(SimulatedBackend)
	if simulated == nil {
		runtime.GC() // what earlier cells left is not this cell's to pay for
	}
	share := shareBeyond(simulated)
	records, err := c.offer(ctx, b, o.tape, o.prompts, cell)
	if err != nil {
		return nil, err
	}
	cell.Extrapolated = share()
	cell.UpperRequests = c.upper(o)
	for i := range records {
		records[i].SharedTokens = o.shared[records[i].Request]
	}
	if err := reset(b); err != nil {
		return nil, err
	}
	after, err := probe(ctx, c.m, b)
	if err != nil {
		return nil, err
	}
	cell.ProbeBefore, cell.ProbeAfter = results.Some(before), results.Some(after)
	return records, nil
}

// open makes the cell's backend. A simulated one draws from the cell's name, so that
// two rungs have their own luck on one tape.
func (c *cellRun) open(key results.Key) (engine.Backend, error) {
	sim, ok := c.m.(Simulator)
	if !ok {
		return c.m.Open(c.shape)
	}
	h := fnv.New64a()
	io.WriteString(h, key.Name())
	return sim.OpenSeeded(c.shape, h.Sum64())
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

// offer drives the tape through an engine until every request has ended and the
// engine is idle again.
func (c *cellRun) offer(ctx context.Context, b engine.Backend, tape *loadgen.Tape, prompts [][]engine.Token, cell *results.Cell) ([]results.Record, error) {
	clk := c.m.NewClock()
	serve := c.rung.Engine(c.m.Unified())
	if c.trace != nil {
		c.trace.blockTokens = max(1, serve.Cache.BlockTokens)
		serve.OnStep = c.trace.add
	}
	slo, err := admit(&c.rung, &serve, &c.cfg, b.Limits(), cell.Key, tape)
	if err != nil {
		return nil, err
	}
	if c.recordDecisions && serve.Admission != nil {
		c.recorder = record.NewRecorder(serve.Admission)
		serve.Admission = c.recorder
	}
	eng, err := engine.New(clk, b, serve)
	if err != nil {
		return nil, err
	}
	records, err := c.drive(ctx, clk, &target{
		clk: clk, eng: eng, prompts: prompts, temperature: float32(c.cfg.Temperature), stop: c.cfg.Stop, eog: c.m.EOG,
		prefix: c.rung.Cache.Prefix, slo: slo,
	}, site{engine: eng, load: eng.Load}, tape, cell)
	if err != nil {
		return nil, err
	}
	cell.Steps = stepsOf(eng.Stats())
	return records, eng.Err()
}

// site is where requests are served: an engine in this process, or (nil) a server
// elsewhere.
type site struct {
	engine *engine.Engine
	load   func() (queued, running int)
}

// drive offers the tape to a target until every request has ended and the engine,
// if there is one, is idle again.
func (c *cellRun) drive(ctx context.Context, clk clock.Clock, to loadgen.Target, at site, tape *loadgen.Tape, cell *results.Cell) ([]results.Record, error) {
	over := false
	stopWhenOver := func() {
		if over && (at.engine == nil || at.engine.Idle()) {
			clk.Stop()
		}
	}
	if at.engine != nil {
		at.engine.OnIdle(stopWhenOver)
	}
	driver, err := loadgen.NewDriver(clk, tape, to, loadgen.DriverConfig{
		Timeout: c.cfg.Timeout, Warmup: c.cfg.Warmup, Scripted: c.cfg.Stop == StopScripted,
		Done: func() { over = true; stopWhenOver() },
	})
	if err != nil {
		return nil, err
	}
	clk.At(0, func() {
		driver.Start()
		if at.engine != nil {
			at.engine.Began(driver.Began())
		}
	})
	c.showEvery(clk, at.load, driver)
	cpu := c.cpuTime()
	if err := clk.Run(ctx); err != nil {
		return nil, err
	}
	cell.Usage = usage(clk, cpu, c.cpuTime(), at.engine != nil)
	if c.trace != nil {
		c.trace.since(driver.Began())
	}
	records := driver.Records()
	for _, r := range records {
		cell.EndedS = max(cell.EndedS, r.Ended.V.Seconds())
	}
	if late := driver.Late(); late.Tokens+late.Dones > 0 {
		cell.Violations = append(cell.Violations, fmt.Sprintf("%d tokens and %d ends came after their request had ended", late.Tokens, late.Dones))
	}
	cell.OutstandingS = results.Some(driver.Outstanding())
	return records, nil
}

// cpuTime is the CPU time that this process has taken so far, if somebody can tell.
func (c *cellRun) cpuTime() results.Opt[time.Duration] {
	if c.cpu == nil {
		return results.Opt[time.Duration]{}
	}
	return c.cpu()
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

func (c *cellRun) showEvery(clk clock.Clock, load func() (queued, running int), driver *loadgen.Driver) {
	if c.tick == nil {
		return
	}
	var show func()
	show = func() {
		s := Status{Elapsed: clk.Now(), Counts: driver.Counts()}
		s.Queued, s.Running = load()
		c.tick(s)
		clk.At(clk.Now()+tickEvery, show)
	}
	clk.At(0, show)
}

func stepsOf(s engine.Stats) results.Steps {
	return results.Steps{
		Count: s.Steps, Rows: s.Rows, OutputRows: s.OutputRows,
		ModelS: s.Model.Seconds(), HostS: s.Host.Seconds(), ScheduleS: s.Loop.Seconds(),
	}
}

// params are the parameters of a cell: the rung's, and the engine's.
func (c *cellRun) params() map[string]string {
	p := maps.Clone(c.m.Params())
	maps.Copy(p, c.rung.Params())
	p["sequences"], p["context"] = strconv.Itoa(c.shape.Seqs), strconv.Itoa(c.shape.SeqCells)
	return p
}

// arrivalRate is the rate of what comes by itself; null where every request does.
func (c *Config) arrivalRate(rate float64) (results.Opt[float64], error) {
	load, err := c.load()
	if err != nil || load.ArrivalRate(rate) == rate {
		return results.Opt[float64]{}, err
	}
	return results.Some(load.ArrivalRate(rate)), nil
}

// tape makes the tape of a rate and a seed. The manifest has its hash.
func (c *Config) tape(rate float64, seed uint64) (*loadgen.Tape, error) {
	load, err := c.load()
	if err != nil {
		return nil, err
	}
	return load.Make(rate, seed, c.Duration)
}
