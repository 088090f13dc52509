package ab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/paired"
	"github.com/cadence-bench/cadence-bench/results"
)

// Runner measures an experiment.
type Runner struct {
	Dir string
	// Measure runs one segment of an arm on the requests of a seed.
	Measure func(ctx context.Context, arm Arm, tape uint64) (Segment, error)
	Now     func() time.Time
	// Begun is told of the run before the first segment, and Over of every block.
	Begun, Over func(*Run)
}

// Run measures the blocks that the folder does not have yet. Before the first of them
// every side runs once unmeasured, so that none of the arms finds a cold file cache.
//
// A segment that fails ends the experiment: the blocks that are whole are kept, and it
// goes on from there when it is run again.
func (r *Runner) Run(ctx context.Context, m Manifest) (*Run, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := results.LockRun(r.Dir)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	run, err := begin(r.Dir, m)
	if err != nil {
		return nil, err
	}
	j, err := results.OpenLines(filepath.Join(r.Dir, blocksFile))
	if err != nil {
		return nil, err
	}
	defer j.Close()
	r.Begun(run)
	if len(run.Blocks) == m.Blocks {
		return run, nil
	}
	if err := r.warm(ctx, m.Experiment); err != nil {
		return run, err
	}
	orders := paired.Orders(m.Blocks, len(m.Arms), m.Seed)
	for n := len(run.Blocks); n < m.Blocks; n++ {
		b, err := r.block(ctx, m.Experiment, n, orders[n])
		if err == nil {
			err = run.fits(b)
		}
		if err == nil {
			err = j.Append(b)
		}
		if err != nil {
			return run, err
		}
		run.Blocks = append(run.Blocks, b)
		r.Over(run)
	}
	return run, nil
}

// warm runs each side once.
func (r *Runner) warm(ctx context.Context, e Experiment) error {
	done := map[string]bool{}
	for _, arm := range e.Arms {
		if done[arm.Side] {
			continue
		}
		done[arm.Side] = true
		if _, err := r.Measure(ctx, arm, e.Tape(0)); err != nil {
			return fmt.Errorf("arm %s, before the first block: %w", arm.Name, err)
		}
	}
	return nil
}

func (r *Runner) block(ctx context.Context, e Experiment, n int, order []int) (Block, error) {
	b := Block{Block: n, Segments: map[string]Segment{}}
	for _, i := range order {
		arm := e.Arms[i]
		s, err := r.Measure(ctx, arm, e.Tape(n))
		if err != nil {
			return b, fmt.Errorf("arm %s of block %d: %w", arm.Name, n+1, err)
		}
		b.Order = append(b.Order, arm.Name)
		b.Segments[arm.Name] = s
	}
	b.At = r.Now().UTC().Format(time.RFC3339)
	return b, nil
}
