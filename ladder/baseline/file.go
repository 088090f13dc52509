package baseline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/decided"
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/internal/regular"
	"github.com/cadence-bench/cadence-bench/results"
)

// DecisionsFile is where the decisions of a baseline lie: beside it.
func DecisionsFile(baseline string) string {
	return strings.TrimSuffix(baseline, ".json") + ".decisions.zst"
}

// Read reads a baseline's file. Where there is none the error is fs.ErrNotExist.
func Read(file string) (*gate.Baseline, error) {
	data, err := regular.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no baseline: %w; gate --update --reason \"first\" writes one", err)
	}
	if err != nil {
		return nil, err
	}
	b, err := gate.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("baseline %s: %w", file, err)
	}
	return &b, nil
}

// Next is the baseline that a run makes, after the old one unless that is nil.
func (r *Run) Next(old *gate.Baseline, reason string, now time.Time) (gate.Baseline, error) {
	next := gate.Baseline{Schema: gate.Schema, Measured: r.Measured}
	if old != nil {
		next.History = old.History
	}
	next.History = append(next.History, gate.Reason{
		Date: now.UTC().Format(time.DateOnly), Reason: reason, EngineSource: r.Provenance.EngineSource,
	})
	if err := next.Fit(gate.Budgets()); err != nil {
		return next, fmt.Errorf("these figures can be no baseline: %w", err)
	}
	return next, nil
}

// Write writes a baseline and its decisions. The decisions come first: until a baseline
// has their hashes they are nobody's.
func Write(file string, b gate.Baseline, cells []decided.Cell) error {
	lines, err := decided.Encode(cells)
	if err != nil {
		return err
	}
	data, err := b.Encode()
	if err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
		err = results.WriteBytes(DecisionsFile(file), lines)
	}
	if err == nil {
		err = results.WriteBytes(file, data)
	}
	return fault.Write.Wrap(err)
}
