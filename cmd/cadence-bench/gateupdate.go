package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/decided"
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/results"
)

// write makes what was measured the baseline, and says what differs from the old one.
func (f *gateFlags) write(out io.Writer, old *gate.Baseline, got gateRun) error {
	next := gate.Baseline{Schema: gate.Schema, Measured: got.Measured}
	if old != nil {
		next.History = old.History
	}
	next.History = append(next.History, gate.Reason{
		Date: time.Now().UTC().Format(time.DateOnly), Reason: f.reason, EngineSource: got.Provenance.EngineSource,
	})
	if err := next.Fit(gate.Budgets()); err != nil {
		return fmt.Errorf("these figures can be no baseline: %w", err)
	}
	if old != nil {
		g := f.compare(*old, got)
		if err := f.print(out, &g); err != nil {
			return coded(exitWrite, err)
		}
	}
	if err := writeBaseline(f.baseline, next, got.decided); err != nil {
		return err
	}
	if f.format == "text" {
		_, err := fmt.Fprintf(out, "wrote %s: %s\n", f.baseline, f.reason)
		return coded(exitWrite, err)
	}
	return nil
}

// writeBaseline writes a baseline and its decisions. The decisions come first: until a
// baseline has their hashes they are nobody's.
func writeBaseline(file string, b gate.Baseline, cells []decided.Cell) error {
	lines, err := decided.Encode(cells)
	if err != nil {
		return err
	}
	data, err := b.Encode()
	if err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
		err = results.WriteBytes(decisionsFile(file), lines)
	}
	if err == nil {
		err = results.WriteBytes(file, data)
	}
	return coded(exitWrite, err)
}
