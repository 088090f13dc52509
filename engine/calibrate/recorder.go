package calibrate

import (
	"errors"
	"strconv"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/twin"
)

// Meter says how much work each step is, following the KV cache as it goes.
type Meter interface {
	Step(*engine.Batch) twin.Work
}

// Recorder is a backend that passes every step on to another one, and keeps a row of
// each that had rows. It must have been there from the backend's first step.
type Recorder struct {
	engine.Backend
	Meter Meter
	// Label is what the next rows get. Rows without a Kind are not kept.
	Label Label
	Rows  []Row

	kept bool // the last step left a row
}

// Step implements engine.Backend.
func (r *Recorder) Step(b *engine.Batch, res *engine.StepResult) error {
	r.kept = false
	err := r.Backend.Step(b, res)
	switch {
	case errors.Is(err, engine.ErrNoSlot):
		r.Meter.Step(&engine.Batch{Ops: b.Ops})
		return err
	case err != nil:
		return err
	}
	work := r.Meter.Step(b)
	if r.Label.Kind != "" && len(b.Rows) > 0 {
		r.Rows = append(r.Rows, Row{Label: r.Label, Work: work, Model: res.Model, Host: res.Host})
		r.kept = true
	}
	return nil
}

// stretch is how many scheduled rows make a point. Steps that follow one another are
// alike, so that holding out single ones would test on what was fitted.
const stretch = 50

// OnStep is for engine.Config.OnStep of the engine above: it adds to the last row the
// time that the engine took besides, and counts the stretches.
func (r *Recorder) OnStep(s *engine.StepInfo) {
	if !r.kept {
		return
	}
	row := &r.Rows[len(r.Rows)-1]
	row.Loop = s.Loop
	row.Point += "/" + strconv.FormatInt(s.Index/stretch, 10)
}
