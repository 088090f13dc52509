package llamacpp

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
)

// IdleCost is what cells that nobody decodes cost a decode step of a full batch in a
// unified cache, where attention spans every cell that is used.
type IdleCost struct {
	Batch  int           // sequences that decode
	Live   int           // cells that they hold
	Idle   int           // idle cells beside them, in the second measurement
	Alone  time.Duration // of a step without idle cells, median
	Beside time.Duration // of a step beside them, median
}

// PerCell is the slope: seconds that one idle cell adds to a step. It is not
// positive where idle cells cost nothing that could be measured.
func (c IdleCost) PerCell() float64 {
	if c.Idle == 0 {
		return 0
	}
	return (c.Beside - c.Alone).Seconds() / float64(c.Idle)
}

// RetainShare is by how much idle cached cells may slow a full-batch decode step: a
// tenth, which is the change of speed above which a cell of a ladder is marked as
// drifted. What a cached cell costs every step is thus kept below what the machine
// itself is allowed to move, while one that is hit saves the prefill of its token,
// which is tens to hundreds of times its cost per step.
const RetainShare = 0.10

// RetainCells bounds the idle cached cells of a unified cache by what they cost: as
// many as slow a full-batch decode step by at most RetainShare, but at least the
// longest prompt, so that there is a cache at all. 0 stands for no bound, where idle
// cells cost nothing. In streams attention sees a sequence's own cells only, so there
// the cache is bounded by the pool and this rule does not apply.
func RetainCells(c IdleCost, longestPrompt int) int {
	slope := c.PerCell()
	if slope <= 0 {
		return 0
	}
	cells := math.Round(RetainShare * c.Alone.Seconds() / slope)
	return max(longestPrompt, int(min(cells, math.MaxInt32)))
}

// How idle cells are measured: batches of steps without and with them in turn, so
// that a drift of the machine meets both.
const (
	idleSeqs   = 8
	idleRounds = 3
	idleSteps  = 4 // per batch; the first makes ready and does not count
	// idleLimit is when no further round is begun.
	idleLimit = 2 * time.Second
)

// MeasureIdle times decode steps of a full batch in a unified cache with the flash
// attention and the threads of p, without and beside idle cells. With p.Seqs below 24
// the batch is smaller. Nothing else should run.
func MeasureIdle(m *Model, p Params) (IdleCost, error) {
	f, err := newFullBatch(m, p, Layout{true, p.FlashAttn}, idleSeqs, longestTrial)
	if err != nil {
		return IdleCost{}, err
	}
	defer f.c.Close()
	cost, err := f.idleCost()
	if err != nil {
		return cost, fmt.Errorf("measure idle cells: %w", err)
	}
	return cost, nil
}

func (f *fullBatch) idleCost() (IdleCost, error) {
	if err := f.warmUp(); err != nil {
		return IdleCost{}, err
	}
	f.shorten()
	if err := f.fill(); err != nil {
		return IdleCost{}, err
	}
	cost := IdleCost{Batch: f.seqs, Live: f.seqs * f.prompt, Idle: idleSeqs * f.prompt}
	var alone, beside []time.Duration
	for began := time.Now(); len(beside) < idleRounds*(idleSteps-1) && (len(beside) == 0 || time.Since(began) < idleLimit); {
		for _, idle := range []bool{false, true} {
			steps, err := f.stepsBeside(idle)
			if err != nil {
				return cost, err
			}
			if idle {
				beside = append(beside, steps...)
			} else {
				alone = append(alone, steps...)
			}
		}
	}
	slices.Sort(alone)
	slices.Sort(beside)
	cost.Alone, cost.Beside = quantile(alone, 50), quantile(beside, 50)
	return cost, nil
}

// stepsBeside times decode steps after it has put idle sequences beside the batch or
// taken them away.
func (f *fullBatch) stepsBeside(idle bool) ([]time.Duration, error) {
	f.rewind()
	for i := range idleSeqs {
		f.batch.Ops = append(f.batch.Ops, engine.Op{Kind: engine.OpRemove, Seq: int32(f.seqs + i), To: -1})
	}
	if _, err := f.run(); err != nil {
		return nil, err
	}
	if idle {
		for i := range idleSeqs {
			if err := f.c.restore(f.state, int32(f.seqs+i)); err != nil {
				return nil, err
			}
		}
	}
	steps, err := f.decode(idleSteps)
	if err != nil {
		return nil, err
	}
	return steps[1:], nil
}
