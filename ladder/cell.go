package ladder

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
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
	rung   Rung
	shape  Shape
	tokens *encoder
	tick   func(Status)
	trace  *trace // nil does not trace
	hash   string // of the tape, as the manifest has it

	// For a rung that is a server:
	key    string   // to get in
	models []string // that it has
	mark   string   // of this cell
}

// run measures one cell. The cell's Order and StartedAt are the caller's to set.
func (c *cellRun) run(ctx context.Context, key results.Key) (results.Cell, []results.Record, error) {
	tape, err := c.cfg.tape(key.OfferedRPS, key.Seed)
	if err != nil {
		return results.Cell{}, nil, err
	}
	if hash := tape.Hash(); hash != c.hash {
		return results.Cell{}, nil, fmt.Errorf("the tape of %g/s and seed %d has the hash %s, and %s when the run was started: has a file of %s changed?", key.OfferedRPS, key.Seed, hash, c.hash, c.cfg.Workload)
	}
	cell := results.Cell{
		Key: key, Backend: backendHTTP, Workload: c.cfg.Workload, Arrivals: tape.Arrivals, TapeHash: tape.Hash(),
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
		records, err = c.embedded(ctx, tape, &cell)
	}
	return cell, records, err
}

// embedded measures a cell on a fresh backend: probe, load, probe.
func (c *cellRun) embedded(ctx context.Context, tape *loadgen.Tape, cell *results.Cell) ([]results.Record, error) {
	prompts, err := c.tokens.encode(tape)
	if err != nil {
		return nil, err
	}
	b, err := c.m.Open(c.shape)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	stopAbort := context.AfterFunc(ctx, b.Abort)
	defer stopAbort()
	cell.Backend, cell.Params = c.m.Backend(), c.params()

	before, err := probe(ctx, c.m, b)
	if err != nil {
		return nil, err
	}
	runtime.GC() // what earlier cells left is not this cell's to pay for
	records, err := c.offer(ctx, b, tape, prompts, cell)
	if err != nil {
		return nil, err
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

// offer drives the tape through an engine until every request has ended and the
// engine is idle again.
func (c *cellRun) offer(ctx context.Context, b engine.Backend, tape *loadgen.Tape, prompts [][]engine.Token, cell *results.Cell) ([]results.Record, error) {
	clk := c.m.NewClock()
	serve := c.rung.Engine(c.m.Unified())
	if c.trace != nil {
		c.trace.blockTokens = max(1, serve.Cache.BlockTokens)
		serve.OnStep = c.trace.add
	}
	eng, err := engine.New(clk, b, serve)
	if err != nil {
		return nil, err
	}
	records, err := c.drive(ctx, clk, &target{
		eng: eng, prompts: prompts, temperature: float32(c.cfg.Temperature), stop: c.cfg.Stop, eog: c.m.EOG,
		prefix: c.rung.Cache.Prefix,
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
	clk.At(0, driver.Start)
	c.showEvery(clk, at.load, driver)
	cpu := results.CPUTime()
	if err := clk.Run(ctx); err != nil {
		return nil, err
	}
	cell.Usage = usage(clk, cpu, results.CPUTime(), at.engine != nil)
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
	policy, cache := c.rung.Policy, c.rung.Cache
	for name, value := range map[string]any{
		"max_batch": policy.MaxBatch, "refill": policy.Refill, "fill_wait": policy.FillWait, "step_tokens": policy.StepTokens,
		"decode_first": policy.DecodeFirst, "share_wait": policy.ShareWait, "late_publish": policy.LatePublish,
		"paged": cache.Paged, "prefix_cache": cache.Prefix, "block_tokens": cache.BlockTokens,
		"kv_cells": cache.Cells, "kv_retain": cache.RetainCells,
		"sequences": c.shape.Seqs, "context": c.shape.SeqCells,
	} {
		p[name] = fmt.Sprint(value)
	}
	return p
}

// tape makes the tape of a rate and a seed. What files it comes of is read anew, so
// that nothing is kept between cells; the manifest has its hash.
// arrivalRate is the rate of what comes by itself; null where every request does.
func (c *Config) arrivalRate(rate float64) (results.Opt[float64], error) {
	load, err := c.load()
	if err != nil || load.ArrivalRate(rate) == rate {
		return results.Opt[float64]{}, err
	}
	return results.Some(load.ArrivalRate(rate)), nil
}

func (c *Config) tape(rate float64, seed uint64) (*loadgen.Tape, error) {
	load, err := c.load()
	if err != nil {
		return nil, err
	}
	return load.Make(rate, seed, c.Duration)
}
