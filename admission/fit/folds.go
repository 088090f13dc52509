package fit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/admission/record"
)

// Fold parts blocks three ways. No block is in two parts, so no request that is judged
// shared a queue with one that its bound was made from.
type Fold struct {
	Fit, Calibrate, Test []int // indices of blocks
}

// Grouping says which blocks are held out together.
type Grouping int

const (
	// BySeed holds out the blocks of one seed: they offer the same requests at several
	// rates.
	BySeed Grouping = iota
	// ByRate holds out the blocks of one rate: bounds must hold at a load that was
	// never seen.
	ByRate
	// ByBlock holds out one block.
	ByBlock
)

// String is "seed", "rate" or "block".
func (g Grouping) String() string { return [...]string{"seed", "rate", "block"}[g] }

// leastGroups is how many groups it takes: one to test on, and some to fit and to
// calibrate on.
const leastGroups = 3

// Folds gives each group of blocks one fold in which it is tested on. The other groups, in
// order, take turns in being fitted and calibrated on.
func Folds(blocks []record.Block, by Grouping) ([]Fold, error) {
	groups := groupsOf(blocks, by)
	if len(groups) < leastGroups {
		return nil, fmt.Errorf("there are %d of a different %s to hold out: at least %d are needed", len(groups), by, leastGroups)
	}
	var folds []Fold
	for test := range groups {
		f := Fold{Test: groups[test]}
		for i := 1; i < len(groups); i++ {
			g := groups[(test+i)%len(groups)]
			if i%2 == 1 {
				f.Calibrate = append(f.Calibrate, g...)
			} else {
				f.Fit = append(f.Fit, g...)
			}
		}
		slices.Sort(f.Fit)
		slices.Sort(f.Calibrate)
		folds = append(folds, f)
	}
	return folds, nil
}

// Halves parts all blocks into those that an artifact is fitted on and those that it is
// calibrated on.
func Halves(blocks []record.Block, by Grouping) (fit, calibrate []int, err error) {
	groups := groupsOf(blocks, by)
	if len(groups) < 2 {
		return nil, nil, fmt.Errorf("there is %d of a different %s: at least 2 are needed, one to fit on and one to calibrate on", len(groups), by)
	}
	for i, g := range groups {
		if i%2 == 0 {
			fit = append(fit, g...)
		} else {
			calibrate = append(calibrate, g...)
		}
	}
	slices.Sort(fit)
	slices.Sort(calibrate)
	return fit, calibrate, nil
}

// Finest is the grouping that holds most apart and still leaves enough groups.
func Finest(blocks []record.Block) Grouping {
	if len(groupsOf(blocks, BySeed)) >= leastGroups {
		return BySeed
	}
	return ByBlock
}

func groupsOf(blocks []record.Block, by Grouping) [][]int {
	same := func(i, j int) int {
		a, b := &blocks[i], &blocks[j]
		switch by {
		case BySeed:
			return cmp.Compare(a.Seed, b.Seed)
		case ByRate:
			return cmp.Compare(a.Rate, b.Rate)
		}
		return cmp.Compare(i, j)
	}
	order := make([]int, len(blocks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, same)
	var groups [][]int
	for k, i := range order {
		if k == 0 || same(order[k-1], i) != 0 {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], i)
	}
	return groups
}

// pick returns the blocks at these indices.
func pick(blocks []record.Block, at []int) []record.Block {
	var some []record.Block
	for _, i := range at {
		some = append(some, blocks[i])
	}
	return some
}
