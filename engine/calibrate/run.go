package calibrate

import (
	"context"
	"errors"
	"fmt"

	"github.com/cadence-bench/cadence-bench/engine"
)

// warmUp is how many steps of a script are run before it, and not kept.
const warmUp = 20

// Run runs a script on an empty backend and leaves it empty. The rows are r's. When
// ctx ends so does the backend.
func Run(ctx context.Context, r *Recorder, script []Step) error {
	stop := context.AfterFunc(ctx, r.Abort)
	defer stop()
	for i := range script[:min(warmUp, len(script))] {
		if err := r.run(ctx, &script[i], Label{}); err != nil {
			return err
		}
	}
	if err := r.Empty(); err != nil {
		return err
	}
	for i := range script {
		if err := r.run(ctx, &script[i], script[i].Label); err != nil {
			return fmt.Errorf("step %d (%s %s): %w", i, script[i].Kind, script[i].Point, err)
		}
	}
	return r.Empty()
}

func (r *Recorder) run(ctx context.Context, s *Step, as Label) error {
	r.Label = as
	err := r.Step(&s.Batch, new(engine.StepResult))
	r.Label = Label{}
	if errors.Is(err, engine.ErrAborted) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Empty drops every sequence of the backend.
func (r *Recorder) Empty() error {
	var b engine.Batch
	for seq := range r.Limits().Seqs {
		b.Ops = append(b.Ops, engine.Op{Kind: engine.OpRemove, Seq: engine.SeqID(seq), To: -1})
	}
	return r.Step(&b, new(engine.StepResult))
}
