package machine

import (
	"context"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/results"
)

// ExpectedProbe is the speed probe as the twin has it, by a calibration of this very
// machine, libraries, model and setting; null where there is none. The engine's source may
// differ: a probe hardly depends on how requests are scheduled.
func (m *Llama) ExpectedProbe(ctx context.Context, p Places) (none results.Opt[results.Probe]) {
	c, id, _, err := findCalibration(p, "", "")
	if err != nil || m.canonical {
		return none
	}
	lib, model := m.Describe()
	if len(sim.Differences(c, results.Origin{Host: results.ReadHost(), Library: lib, Model: model})) > 0 {
		return none
	}
	twin, err := sim.New(sim.Config{Calibration: c, ID: id, Setting: m.Setting(llamacpp.Layout{Unified: m.unified, Flash: m.flash})})
	if err != nil {
		return none // not calibrated with this setting
	}
	b, err := twin.Open(cell.Shape{Seqs: 1, SeqCells: 1024, Rows: 512})
	if err != nil {
		return none
	}
	defer b.Close()
	probe, err := cell.Probe(ctx, twin, b)
	if err != nil {
		return none
	}
	return results.Some(probe)
}
