package ladder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// Progress is shown what a sweep does. Its methods are called one at a time, Tick
// on the clock's loop: it must be quick. Where cells run several at once, their
// Begins and Ticks mingle; Ends and Faileds still come in the order of the plan.
type Progress interface {
	// Note tells in one line what happens before the first cell.
	Note(text string)
	// Plan gives the run with its plan and its tapes, how many cells of the plan are
	// already done, and the configuration with all that was chosen.
	Plan(run *results.Manifest, done int, cfg Config)
	// Begin, Tick and End accompany the cell at the given place in the plan.
	Begin(order int)
	Tick(order int, s cell.Status)
	End(order int, cell results.Cell, records []results.Record)
	// Failed tells that a cell could not be measured; the sweep goes on.
	Failed(order int, err error)
}

// Unseen shows nothing. Others embed it and show what they care for.
type Unseen struct{}

// Note implements Progress.
func (Unseen) Note(string) {}

// Plan implements Progress.
func (Unseen) Plan(*results.Manifest, int, Config) {}

// Begin implements Progress.
func (Unseen) Begin(int) {}

// Tick implements Progress.
func (Unseen) Tick(int, cell.Status) {}

// End implements Progress.
func (Unseen) End(int, results.Cell, []results.Record) {}

// Failed implements Progress.
func (Unseen) Failed(int, error) {}

// Sweep is a measurement of a ladder, with all that it needs from outside.
type Sweep struct {
	// Machine has the embedded engine; it may be nil when none is measured.
	Machine  cell.Machine
	Dir      string // the run's folder; "": nothing is written
	Progress Progress
	// Take is handed every measured cell with all its rows, in the order of the plan; nil is
	// not. An error ends the sweep.
	Take func(*cell.Result) error
	// Workers is how many cells of a simulation run at once; 0 is 1. A real engine
	// has one cell at a time whatever it is.
	Workers int
	// TraceSteps keeps a row for every step of the engine, beside the cells.
	TraceSteps bool
	// TraceDecisions keeps a row for every decision of an admission policy, with all that
	// it was told, beside the cells.
	TraceDecisions bool
	// Fitted is what admission policies start from; nil: from nothing.
	Fitted *admission.Fitted
	// Retain bounds the idle cached cells where the configuration leaves it open; nil
	// sets no bound.
	Retain RetainRule
	// TargetKey is sent to every server as a bearer token, and kept nowhere.
	TargetKey string
	Now       func() time.Time // the calendar, for the manifest and the cells
	// CPU reads the CPU time that this process has taken; nil leaves it unmeasured.
	CPU func() results.Opt[time.Duration]
	// System reads what the machine has done so far; nil leaves it unmeasured.
	System func() results.System
	// Provenance goes into the manifest, and Resume compares it: Command, Build,
	// EngineSource, Host and the Choices that led to Machine.
	Provenance results.Manifest
	// AllowMixed lets Resume go on although what it compares has changed, and marks the
	// run and the cells that it measures.
	AllowMixed bool

	showing sync.Mutex // held during a call of Progress while cells run
}

// ErrCells is returned when the sweep is over but some cells could not be measured.
var ErrCells = errors.New("not every cell could be measured")

// Start measures cfg into a new run.
func (s *Sweep) Start(ctx context.Context, cfg Config) (err error) {
	defer markWrite(&err)
	if err := cfg.Check(); err != nil {
		return fault.Input.Wrap(err)
	}
	cfg.Fitted = s.Fitted
	if s.Dir != "" {
		if err := results.Vacant(s.Dir); err != nil {
			return err
		}
	}
	targets, err := s.meet(ctx, cfg)
	if err != nil {
		return err
	}
	rungs, err := cfg.ladder()
	if err != nil {
		return fault.Input.Wrap(err)
	}
	machines, err := s.machines(rungs)
	if err != nil {
		return err
	}
	tapes := cell.NewTapes(s.Machine)
	var need lengths
	var notes []results.Choice
	retain := s.retainOf(cfg)
	if len(embedded(rungs)) > 0 {
		trial, err := s.trial(cfg, tapes)
		if err != nil {
			return err
		}
		need = lengths{trial.longest, trial.longestPrompt()}
		cfg.longest(need.prompt)
		if rungs, err = retain.apply(&cfg, need.prompt); err != nil {
			return err
		}
		inside := embedded(rungs)
		choice, err := choose(ctx, s.Machine, cfg, inside, trial, s.Progress.Note)
		if err != nil {
			return err
		}
		cfg.Rates, cfg.SLO, cfg.Rungs, notes = choice.rates, choice.slo, names(inside), choice.notes
	}
	listed, err := s.tapes(&cfg, tapes, len(embedded(rungs)) > 0, &need)
	if err != nil {
		return err
	}
	if cfg.Context == 0 {
		cfg.Context = need.request
	}
	cfg.longest(need.prompt)
	if rungs, err = retain.apply(&cfg, need.prompt); err != nil {
		return err
	}

	m := s.Provenance
	m.StartedAt = s.Now()
	m.Backend, m.Params = cell.BackendHTTP, cfg.Params()
	if s.Machine != nil {
		m.Backend = s.Machine.Backend()
		m.Library, m.Model = s.Machine.Describe()
		maps.Copy(m.Params, s.Machine.Params())
	}
	m.Targets = targets
	m.Choices = slices.Concat(m.Choices, retain.choices, notes)
	m.Plan = Plan(rungs, cfg.Rates, cfg.Seeds, cfg.Repeats)
	m.Tapes = listed
	w := work{run: &results.Run{Manifest: m}, cfg: cfg, rungs: rungs, tapes: tapes, listed: listed, machines: machines}
	if s.Dir == "" {
		return s.measure(ctx, w, func(results.Entry) error { return nil })
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	lock, err := results.LockRun(s.Dir)
	if err != nil {
		return err
	}
	defer lock.Release()
	if w.run, err = results.CreateRun(s.Dir, m); err != nil {
		return err
	}
	return s.journalled(ctx, w)
}

// markWrite marks an error about a file that has no kind yet: what the sweep reads is
// input, and the rest is written.
func markWrite(err *error) {
	if errors.As(*err, new(*fs.PathError)) {
		*err = fault.Write.Wrap(*err)
	}
}

// lengths are the most tokens of any request, its output limit included, and of any
// prompt.
type lengths struct{ request, prompt int }

// tapes lists the tapes of a configuration. When an engine serves them too it refuses
// what does not fit, and raises need to what they take.
func (s *Sweep) tapes(cfg *Config, tapes *cell.Tapes, engine bool, need *lengths) ([]results.Tape, error) {
	offered := cfg.Cell()
	var listed []results.Tape
	for _, rate := range cfg.Rates {
		for _, seed := range cfg.Seeds {
			t, err := tapes.At(&offered, rate, seed, engine)
			if err != nil {
				return nil, fault.Input.Wrap(err)
			}
			if engine {
				n, err := s.fit(*cfg, t)
				if err != nil {
					return nil, err
				}
				need.request, need.prompt = max(need.request, n), max(need.prompt, t.LongestPrompt())
			}
			listed = append(listed, results.Tape{
				Workload: cfg.Workload, OfferedRPS: rate, Seed: seed, Requests: len(t.Requests), SHA256: t.Hash,
			})
		}
	}
	return listed, nil
}

// journalled measures into the run's folder.
func (s *Sweep) journalled(ctx context.Context, w work) error {
	journal, err := results.OpenJournal(w.run.Dir)
	if err != nil {
		return err
	}
	defer journal.Close()
	return s.measure(ctx, w, func(e results.Entry) error { return journal.Append(e) })
}

// measure runs the cells of the plan that the run does not have yet, and tells keep what
// became of each try.
func (s *Sweep) measure(ctx context.Context, w work, keep func(results.Entry) error) error {
	finished := map[int]bool{}
	for _, e := range w.run.Entries {
		finished[e.Order] = e.State == results.CellFinished
	}
	plan := w.run.Manifest.Plan
	var todo []int
	for order := range plan {
		if !finished[order] {
			todo = append(todo, order)
		}
	}
	s.Progress.Plan(&w.run.Manifest, len(plan)-len(todo), w.cfg)
	workers := 1
	if _, ok := s.Machine.(cell.Simulator); ok {
		workers = s.Workers
	}
	failed := 0
	err := inOrder(ctx, todo, workers, func(ctx context.Context, order int) (outcome, error) {
		return s.try(ctx, w, order)
	}, func(o outcome) error {
		if o.entry.State == results.CellFailed {
			failed++
		}
		for _, e := range append(o.before, o.entry) {
			if err := keep(e); err != nil {
				return err
			}
		}
		s.show(o)
		if s.Take != nil && o.err == nil {
			return s.Take(o.result)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if failed > 0 {
		return fault.Cells.Errorf("%w: %d of %d failed twice; --resume tries them again", ErrCells, failed, len(plan))
	}
	return nil
}

// work is what is to be measured into a run.
type work struct {
	run    *results.Run
	cfg    Config
	rungs  []spec.Rung
	tapes  *cell.Tapes
	listed []results.Tape   // the tapes as they are now
	mixed  []results.Change // what is no longer as the manifest has it

	machines map[spec.Variant]cell.Machine
}

// try measures a cell and, when it fails, once more.
func (s *Sweep) try(ctx context.Context, w work, order int) (outcome, error) {
	s.showing.Lock()
	s.Progress.Begin(order)
	s.showing.Unlock()
	first, err := s.cell(ctx, w, order)
	if err != nil || first.err == nil {
		return first, err
	}
	s.showing.Lock()
	s.Progress.Note(fmt.Sprintf("cell %d (%s) failed and is tried once more: %v", order+1, first.entry.Name(), first.err))
	s.showing.Unlock()
	second, err := s.cell(ctx, w, order)
	second.before = []results.Entry{first.entry}
	return second, err
}

// outcome is what became of a cell: an entry for the journal and, unless err says why
// it failed, the measurement.
type outcome struct {
	before []results.Entry // tries that failed
	entry  results.Entry
	result *cell.Result
	err    error
}

// show tells of a cell that is over.
func (s *Sweep) show(o outcome) {
	s.showing.Lock()
	defer s.showing.Unlock()
	if o.err != nil {
		s.Progress.Failed(o.entry.Order, o.err)
		return
	}
	s.Progress.End(o.entry.Order, o.result.Cell, o.result.Records)
}

// cell measures one cell into its file. A failure of the engine is the cell's
// and is journalled; an interrupt or a failure to write is the sweep's.
func (s *Sweep) cell(ctx context.Context, w work, order int) (outcome, error) {
	run := w.run
	key := run.Manifest.Plan[order]
	started := s.Now()
	r, err := s.measureCell(ctx, w, order, started)
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	o := outcome{entry: results.Entry{Key: key, Order: order, State: results.CellFinished}}
	if err != nil {
		o.entry.State, o.entry.Reason, o.err = results.CellFailed, err.Error(), err
		return o, nil
	}
	c := &r.Cell
	c.Order, c.Mixed = order, w.mixed
	if _, simulated := s.Machine.(cell.Simulator); !simulated {
		c.StartedAt = started
	}
	o.result = r
	if run.Dir == "" {
		return o, nil
	}
	if r.Decisions != nil {
		if err := results.WriteDecisions(run.DecisionsPath(order, key), *c, cell.DecisionRows(r.Decisions)); err != nil {
			return o, err
		}
	}
	if r.Steps != nil {
		if err := results.WriteSteps(run.StepsPath(order, key), *c, r.Steps); err != nil {
			return o, err
		}
	}
	path := run.CellPath(order, key)
	if err := results.WriteCell(path, *c, r.Records); err != nil {
		return o, err
	}
	sum, err := results.HashFile(path)
	if err != nil {
		return o, err
	}
	o.entry.File, o.entry.SHA256, o.entry.Rows = filepath.Base(path), sum, len(r.Records)
	return o, nil
}

// measureCell measures a cell, and writes nothing.
func (s *Sweep) measureCell(ctx context.Context, w work, order int, started time.Time) (*cell.Result, error) {
	manifest := &w.run.Manifest
	key := manifest.Plan[order]
	rung := byName(w.rungs, key.Rung)
	setup := cell.Setup{
		Key: key, Machine: w.machines[rung.Variant], Rung: rung, Shape: cell.ShapeFor(w.rungs, w.cfg.Context), Config: w.cfg.Cell(),
		TraceSteps: s.TraceSteps && rung.External == nil, TraceDecisions: s.TraceDecisions, CPU: s.CPU, System: s.System,
		Tick: func(st cell.Status) {
			s.showing.Lock()
			defer s.showing.Unlock()
			s.Progress.Tick(order, st)
		},
	}
	if rung.External != nil {
		setup.Server = &cell.Server{
			Config: w.cfg.server(*rung.External, s.TargetKey, modelsOf(manifest.Targets, key.Rung)), Patience: w.cfg.patience(),
			Mark: markOf(key, started), SharedCache: w.cfg.SharedCache, TokenIDs: w.cfg.TokenIDs,
		}
	}
	tape, err := w.tapes.At(&setup.Config, key.OfferedRPS, key.Seed, rung.External == nil)
	if err != nil {
		return nil, err
	}
	for _, was := range w.listed {
		if was.OfferedRPS == key.OfferedRPS && was.Seed == key.Seed && was.SHA256 != tape.Hash {
			return nil, fmt.Errorf("the tape of %g/s and seed %d has the hash %s, and %s when the run was started: has a file of %s changed?", key.OfferedRPS, key.Seed, tape.Hash, was.SHA256, w.cfg.Workload)
		}
	}
	return setup.Run(ctx, tape)
}

// fit returns the most tokens that one of a tape's requests needs, prompt and output
// together. It refuses a tape with a request that no sequence could hold.
func (s *Sweep) fit(cfg Config, t *cell.Tape) (longest int, err error) {
	room, limit := s.Machine.MaxContext(), "the model's context"
	if cfg.Context != 0 {
		room, limit = cfg.Context, "--context"
	}
	for i, r := range t.Requests {
		need := len(t.Prompts[i]) + r.MaxTokens
		if need > room {
			return 0, fault.Input.Errorf("%s is %d tokens, but request %d of seed %d needs %d for its prompt and up to %d for its answer; give a longer --context or another --model",
				limit, room, i, t.Seed, len(t.Prompts[i]), r.MaxTokens)
		}
		longest = max(longest, need)
	}
	return longest, nil
}

// machines returns the machine of every variant that rungs have.
func (s *Sweep) machines(rungs []spec.Rung) (map[spec.Variant]cell.Machine, error) {
	all := map[spec.Variant]cell.Machine{{}: s.Machine}
	for _, r := range embedded(rungs) {
		if _, there := all[r.Variant]; there {
			continue
		}
		varied, err := cell.Vary(s.Machine, r.Variant)
		if err != nil {
			return nil, fault.Input.Errorf("rung %s: %w", r.Name, err)
		}
		all[r.Variant] = varied
	}
	return all, nil
}

func names(rungs []spec.Rung) []string {
	var all []string
	for _, r := range rungs {
		all = append(all, r.Name)
	}
	return all
}

func byName(rungs []spec.Rung, name string) spec.Rung {
	i := slices.IndexFunc(rungs, func(r spec.Rung) bool { return r.Name == name })
	return rungs[i]
}

// modelsOf returns the model that requests to a server name, if any.
func modelsOf(targets []results.Target, name string) []string {
	for _, t := range targets {
		if t.Name == name && t.Model != "" {
			return []string{t.Model}
		}
	}
	return nil
}
