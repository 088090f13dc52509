package ladder

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/results"
)

// Resume goes on with the run in Dir, whose manifest has every parameter. It
// refuses to mix measurements of different programs, engines, models, machines or
// tapes, unless AllowMixed says otherwise.
func (s *Sweep) Resume(ctx context.Context) (err error) {
	defer markWrite(&err)
	if _, err := results.OpenRun(s.Dir); err != nil {
		return err // before a lock is left where there is no run
	}
	lock, err := results.LockRun(s.Dir)
	if err != nil {
		return err
	}
	defer lock.Release()
	run, err := results.OpenRun(s.Dir)
	if err != nil {
		return err
	}
	w, err := s.workOf(ctx, run)
	if err != nil {
		return err
	}
	if err := s.mix(w); err != nil {
		return err
	}
	for _, warning := range run.Warnings {
		s.Progress.Note(warning)
	}
	if err := adopt(run); err != nil {
		return err
	}
	return s.journalled(ctx, w)
}

// workOf is the work of a run as its manifest has it, with what has changed since.
func (s *Sweep) workOf(ctx context.Context, run *results.Run) (work, error) {
	w := work{run: run, tapes: cell.NewTapes(s.Machine)}
	var err error
	if w.cfg, err = ConfigOf(run.Manifest.Params); err != nil {
		return w, fmt.Errorf("%s: %w", run.ManifestPath(), err)
	}
	w.cfg.Fitted = s.Fitted
	if w.rungs, err = w.cfg.ladder(); err != nil {
		return w, err
	}
	if w.machines, err = s.machines(w.rungs); err != nil {
		return w, err
	}
	// What a change of the program or the machine breaks further on would be reported in
	// other words: those come first.
	w.mixed = s.changes(&run.Manifest)
	if len(w.mixed) > 0 && !s.AllowMixed {
		return w, nil
	}
	targets, err := s.meet(ctx, w.cfg)
	if err != nil {
		return w, err
	}
	w.mixed = append(w.mixed, results.Differences(results.Origin{Targets: run.Manifest.Targets}, results.Origin{Targets: targets})...)
	if w.listed, err = s.tapes(&w.cfg, w.tapes, false, nil); err != nil {
		return w, err
	}
	w.mixed = append(w.mixed, changedTapes(run.Manifest.Tapes, w.listed)...)
	return w, nil
}

// mix refuses to go on with what has changed or, where that is allowed, marks the run.
func (s *Sweep) mix(w work) error {
	if len(w.mixed) == 0 {
		return nil
	}
	if !s.AllowMixed {
		more := ""
		if n := len(w.mixed) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more such changes)", n)
		}
		return fault.Input.Errorf("%s cannot be resumed: %v%s; start another run with --out, or mix the two with --allow-mixed, which marks the run", s.Dir, w.mixed[0], more)
	}
	m := &w.run.Manifest
	m.Mixed = append(m.Mixed, results.Mixture{At: s.Now(), Command: s.Provenance.Command, Changes: w.mixed})
	for _, c := range w.mixed {
		s.Progress.Note(fmt.Sprintf("mixed run: %v", c))
	}
	return results.WriteManifest(w.run.ManifestPath(), *m)
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

// mayChange are facts that say nothing about what is measured: a file's new name, and what
// a machine has beside its speed.
var mayChange = []string{results.FactGovernor, results.FactSystem}

// changes lists what differs between what a manifest says of program, engine, model and
// machine, and what is here now. What servers say of themselves is asked later.
func (s *Sweep) changes(m *results.Manifest) []results.Change {
	here := s.Provenance
	here.Backend, here.Targets, here.Params = cell.BackendHTTP, m.Targets, maps.Clone(m.Params)
	delete(here.Params, cell.PlantedParam)
	if s.Machine != nil {
		here.Backend = s.Machine.Backend()
		here.Library, here.Model = s.Machine.Describe()
		maps.Copy(here.Params, s.Machine.Params())
	}
	return slices.DeleteFunc(results.Differences(m.Origin(), here.Origin()), func(c results.Change) bool { return slices.Contains(mayChange, c.Field) })
}

// changedTapes compares the tapes of one configuration, then and now.
func changedTapes(was, is []results.Tape) []results.Change {
	var all []results.Change
	for i := range min(len(was), len(is)) {
		if was[i].SHA256 != is[i].SHA256 {
			all = append(all, results.Change{Field: fmt.Sprintf("tape of %g/s and seed %d", was[i].OfferedRPS, was[i].Seed), Was: was[i].SHA256, Is: is[i].SHA256})
		}
	}
	return all
}
