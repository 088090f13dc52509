package ladder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// Progress is shown what a sweep does. Its methods are called one at a time, Tick
// on the clock's loop: it must be quick.
type Progress interface {
	// Note tells in one line what happens before the first cell.
	Note(text string)
	// Plan gives every cell, in order, and how many of them are already done.
	Plan(cells []results.Key, done int, cfg Config)
	// Begin, Tick and End accompany the cell at the given place in the plan.
	Begin(order int)
	Tick(order int, s Status)
	End(order int, cell results.Cell, records []results.Record)
	// Failed tells that a cell could not be measured; the sweep goes on.
	Failed(order int, err error)
}

// Sweep is a measurement of a ladder, with all that it needs from outside.
type Sweep struct {
	// Machine has the embedded engine; it may be nil when none is measured.
	Machine  Machine
	Dir      string // the run's folder
	Progress Progress
	// TraceSteps keeps a row for every step of the engine, beside the cells.
	TraceSteps bool
	// TargetKey is sent to every server as a bearer token, and kept nowhere.
	TargetKey string
	Now       func() time.Time // the calendar, for the manifest and the cells
	// Provenance goes into the manifest, and Resume compares it: Command, Build,
	// EngineSource, Host and the Choices that led to Machine.
	Provenance results.Manifest
}

// ErrCells is returned when the sweep is over but some cells could not be measured.
var ErrCells = errors.New("not every cell could be measured")

// InputError is an error of what the sweep was asked to do: nothing was measured.
type InputError struct{ error }

// Unwrap returns the error itself.
func (e InputError) Unwrap() error { return e.error }

// Start measures cfg into a new run.
func (s *Sweep) Start(ctx context.Context, cfg Config) error {
	if err := cfg.Check(); err != nil {
		return InputError{err}
	}
	rungs, err := cfg.ladder()
	if err != nil {
		return InputError{err}
	}
	if err := results.Vacant(s.Dir); err != nil {
		return err
	}
	targets, err := s.meet(ctx, cfg)
	if err != nil {
		return err
	}
	tokens := newEncoder(s.Machine)
	longest, notes := 0, []results.Choice(nil)
	if inside := embedded(rungs); len(inside) > 0 {
		trial, err := s.trial(cfg, tokens)
		if err != nil {
			return err
		}
		choice, err := choose(ctx, s.Machine, cfg, inside, trial, s.Progress.Note)
		if err != nil {
			return err
		}
		cfg.Rates, cfg.SLO, cfg.Rungs = choice.rates, choice.slo, names(inside)
		longest, notes = trial.longest, choice.notes
	}
	var tapes []results.Tape
	for _, rate := range cfg.Rates {
		for _, seed := range cfg.Seeds {
			tape, err := cfg.tape(rate, seed)
			if err != nil {
				return InputError{err}
			}
			if len(embedded(rungs)) > 0 {
				_, n, err := s.fit(cfg, tape, tokens)
				if err != nil {
					return err
				}
				longest = max(longest, n)
			}
			tapes = append(tapes, results.Tape{
				Workload: cfg.Workload, OfferedRPS: rate, Seed: seed, Requests: len(tape.Requests), SHA256: tape.Hash(),
			})
		}
	}
	if cfg.Context == 0 {
		cfg.Context = longest
	}

	m := s.Provenance
	m.StartedAt = s.Now()
	m.Backend, m.Params = backendHTTP, cfg.Params()
	if s.Machine != nil {
		m.Backend = s.Machine.Backend()
		m.Library, m.Model = s.Machine.Describe()
		maps.Copy(m.Params, s.Machine.Params())
	}
	m.Targets = targets
	m.Choices = append(slices.Clone(m.Choices), notes...)
	m.Plan = Plan(rungs, cfg.Rates, cfg.Seeds)
	m.Tapes = tapes
	run, err := results.CreateRun(s.Dir, m)
	if err != nil {
		return err
	}
	return s.measure(ctx, run, cfg, rungs, tokens)
}

// Resume goes on with the run in Dir, whose manifest has every parameter. It
// refuses to mix measurements of different programs, engines, models or machines.
func (s *Sweep) Resume(ctx context.Context) error {
	run, err := results.OpenRun(s.Dir)
	if err != nil {
		return err
	}
	cfg, err := ConfigOf(run.Manifest.Params)
	if err != nil {
		return fmt.Errorf("%s: %w", run.ManifestPath(), err)
	}
	if err := s.sameAs(run.Manifest); err != nil {
		return err
	}
	targets, err := s.meet(ctx, cfg)
	if err != nil {
		return err
	}
	if err := sameTargets(s.Dir, run.Manifest.Targets, targets); err != nil {
		return err
	}
	rungs, err := cfg.ladder()
	if err != nil {
		return err
	}
	for _, w := range run.Warnings {
		s.Progress.Note(w)
	}
	if err := adopt(run); err != nil {
		return err
	}
	return s.measure(ctx, run, cfg, rungs, newEncoder(s.Machine))
}

// adopt journals the whole cell files that the run has but its journal lacks.
func adopt(run *results.Run) error {
	if len(run.Unlisted) == 0 {
		return nil
	}
	journal, err := results.OpenJournal(run.Dir)
	if err != nil {
		return err
	}
	defer journal.Close()
	for _, file := range run.Unlisted {
		entry, err := run.EntryOf(file)
		if err != nil {
			return err
		}
		if err := journal.Append(entry); err != nil {
			return err
		}
		run.Entries = append(run.Entries, entry)
	}
	return nil
}

// sameAs says which fact differs between a run and this program and machine.
func (s *Sweep) sameAs(m results.Manifest) error {
	backend, library, model := backendHTTP, results.Library{}, results.Model{}
	if s.Machine != nil {
		backend = s.Machine.Backend()
		library, model = s.Machine.Describe()
	}
	for _, f := range []struct{ field, was, is string }{
		{"engine source", m.EngineSource, s.Provenance.EngineSource},
		{"backend", m.Backend, backend},
		{"model", m.Model.SHA256, model.SHA256},
		{"library", m.Library.Version + " " + m.Library.Variant, library.Version + " " + library.Variant},
		{"CPU", m.Host.CPU, s.Provenance.Host.CPU},
		{"cores", fmt.Sprint(m.Host.Cores), fmt.Sprint(s.Provenance.Host.Cores)},
	} {
		if f.was != f.is {
			return InputError{fmt.Errorf("%s cannot be resumed: its %s was %s and is now %s; start another run with --out", s.Dir, f.field, f.was, f.is)}
		}
	}
	return nil
}

// measure runs the cells of the plan that the run does not have yet.
func (s *Sweep) measure(ctx context.Context, run *results.Run, cfg Config, rungs []Rung, tokens *encoder) error {
	journal, err := results.OpenJournal(run.Dir)
	if err != nil {
		return err
	}
	defer journal.Close()
	finished := map[int]bool{}
	for _, e := range run.Entries {
		finished[e.Order] = e.State == results.CellFinished
	}
	plan := run.Manifest.Plan
	done := 0
	for order := range plan {
		if finished[order] {
			done++
		}
	}
	s.Progress.Plan(plan, done, cfg)
	failed := 0
	for order, key := range plan {
		if finished[order] {
			continue
		}
		entry, err := s.cell(ctx, run, cfg, rungs, tokens, order, key)
		if err != nil {
			return err
		}
		if entry.State == results.CellFailed {
			failed++
		}
		if err := journal.Append(entry); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%w: %d of %d failed; --resume tries them again", ErrCells, failed, len(plan))
	}
	return nil
}

// cell measures one cell into its file. A failure of the engine is the cell's
// and is journalled; an interrupt or a failure to write is the sweep's.
func (s *Sweep) cell(ctx context.Context, run *results.Run, cfg Config, rungs []Rung, tokens *encoder, order int, key results.Key) (results.Entry, error) {
	s.Progress.Begin(order)
	started := s.Now()
	c := cellRun{
		m: s.Machine, cfg: cfg, rung: byName(rungs, key.Rung), shape: ShapeFor(rungs, cfg.Context), tokens: tokens,
		tick: func(st Status) { s.Progress.Tick(order, st) },
		key:  s.TargetKey, models: modelsOf(run.Manifest.Targets, key.Rung), mark: markOf(key, started),
	}
	for _, t := range run.Manifest.Tapes {
		if t.OfferedRPS == key.OfferedRPS && t.Seed == key.Seed {
			c.hash = t.SHA256
		}
	}
	if s.TraceSteps && c.rung.External == nil {
		c.trace = &trace{}
	}
	cell, records, err := c.run(ctx, key)
	if ctx.Err() != nil {
		return results.Entry{}, ctx.Err()
	}
	entry := results.Entry{Key: key, Order: order, State: results.CellFinished}
	if err != nil {
		s.Progress.Failed(order, err)
		entry.State, entry.Reason = results.CellFailed, err.Error()
		return entry, nil
	}
	cell.Order, cell.StartedAt = order, started
	if c.trace != nil {
		if err := results.WriteSteps(run.StepsPath(order, key), cell, c.trace.steps); err != nil {
			return entry, err
		}
	}
	path := run.CellPath(order, key)
	if err := results.WriteCell(path, cell, records); err != nil {
		return entry, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return entry, err
	}
	entry.File, entry.SHA256, entry.Rows = filepath.Base(path), results.HashBytes(data), len(records)
	s.Progress.End(order, cell, records)
	return entry, nil
}

// fit tokenises a tape and returns its prompts and the most tokens that one of
// its requests needs, prompt and output together. It refuses a tape with a
// request that no sequence could hold.
func (s *Sweep) fit(cfg Config, tape *loadgen.Tape, tokens *encoder) (prompts [][]engine.Token, longest int, err error) {
	room, limit := s.Machine.MaxContext(), "the model's context"
	if cfg.Context != 0 {
		room, limit = cfg.Context, "--context"
	}
	if prompts, err = tokens.encode(tape); err != nil {
		return nil, 0, err
	}
	for i, r := range tape.Requests {
		need := len(prompts[i]) + r.MaxTokens
		if need > room {
			return nil, 0, InputError{fmt.Errorf("%s is %d tokens, but request %d of seed %d needs %d for its prompt and up to %d for its answer; give a longer --context or another --model",
				limit, room, i, tape.Seed, len(prompts[i]), r.MaxTokens)}
		}
		longest = max(longest, need)
	}
	return prompts, longest, nil
}

func names(rungs []Rung) []string {
	var all []string
	for _, r := range rungs {
		all = append(all, r.Name)
	}
	return all
}

func byName(rungs []Rung, name string) Rung {
	i := slices.IndexFunc(rungs, func(r Rung) bool { return r.Name == name })
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
