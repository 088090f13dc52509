package gbm

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Params are those of a training.
type Params struct {
	Quantile  float64 // of the target, 0 < q < 1
	Trees     int     // at least 1
	Depth     int     // of a tree, 1 … 8
	Rate      float64 // share of a tree's word that is taken, 0 < r ≤ 1
	Bins      int     // per feature, 2 … 256
	MinLeaf   int     // rows in a leaf, at least 1
	Monotone  []int8  // per feature: 1 never falls, -1 never rises, 0 is free; nil is all free
	MinGain   float64 // of a split, in the unit of the summed squared gradient
	Shrinkage float64 // added to a leaf's number of rows in the gain, at least 0
}

// Defaults are the parameters for a quantile of a latency with some tens of
// thousands of rows or fewer: small trees, since rows are few and a decision must be
// quick (100 trees of depth 4 take about two microseconds).
func Defaults(quantile float64) Params {
	return Params{Quantile: quantile, Trees: 100, Depth: 4, Rate: 0.1, Bins: 64, MinLeaf: 20, Shrinkage: 1}
}

func (p *Params) check(features int) error {
	switch {
	case !(p.Quantile > 0 && p.Quantile < 1):
		return fmt.Errorf("gbm: quantile %v: want one between 0 and 1", p.Quantile)
	case p.Trees < 1 || p.Depth < 1 || p.Depth > 8 || p.MinLeaf < 1:
		return fmt.Errorf("gbm: %d trees of depth %d with %d rows a leaf: want at least 1 of each, and a depth of at most 8", p.Trees, p.Depth, p.MinLeaf)
	case !(p.Rate > 0 && p.Rate <= 1) || p.Shrinkage < 0:
		return fmt.Errorf("gbm: rate %v and shrinkage %v: want 0 < rate ≤ 1 and 0 ≤ shrinkage", p.Rate, p.Shrinkage)
	case p.Bins < 2 || p.Bins > 256:
		return fmt.Errorf("gbm: %d bins: want 2 to 256", p.Bins)
	case p.Monotone != nil && len(p.Monotone) != features:
		return fmt.Errorf("gbm: %d monotone constraints for %d features", len(p.Monotone), features)
	}
	return nil
}

// Train fits a model of the quantile of y given the rows of x, all of one length and
// finite. The same input gives the same model, to the bit.
func Train(x [][]float64, y []float64, p Params) (*Model, error) {
	if len(x) == 0 || len(x) != len(y) {
		return nil, fmt.Errorf("gbm: %d rows for %d targets", len(x), len(y))
	}
	features := len(x[0])
	if err := p.check(features); err != nil {
		return nil, err
	}
	for i, row := range x {
		if len(row) != features {
			return nil, fmt.Errorf("gbm: row %d has %d features, row 0 has %d", i, len(row), features)
		}
		for _, v := range append(row[:features:features], y[i]) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, errors.New("gbm: a feature or a target is not a finite number")
			}
		}
	}
	t := newTrainer(x, y, p)
	m := &Model{Features: features, Base: quantile(slices.Clone(y), p.Quantile), Gain: make([]float64, features)}
	for i := range t.pred {
		t.pred[i] = m.Base
	}
	for range p.Trees {
		tree := t.grow(m.Gain)
		if len(tree) == 1 { // nothing is left to split
			break
		}
		m.Trees = append(m.Trees, tree)
	}
	return m, nil
}

// quantile returns the order statistic of rank ⌈q·n⌉ of values, which it reorders.
func quantile(values []float64, q float64) float64 {
	slices.Sort(values)
	return stat.Quantile(q, stat.Empirical, values, nil)
}

// trainer holds the binned rows and what is predicted so far.
type trainer struct {
	p     Params
	cuts  [][]float64 // per feature, ascending: bin b holds cuts[b-1] < v ≤ cuts[b]
	bins  [][]uint8   // per feature, per row
	y     []float64
	pred  []float64
	grad  []float64 // what a row asks for: q above the prediction, q − 1 below
	order []int32   // rows, grouped by node while a tree grows
	spare []float64
}

func newTrainer(x [][]float64, y []float64, p Params) *trainer {
	n, features := len(x), len(x[0])
	t := &trainer{p: p, y: y, pred: make([]float64, n), grad: make([]float64, n), order: make([]int32, n)}
	column := make([]float64, n)
	for f := range features {
		for i := range x {
			column[i] = x[i][f]
		}
		cuts := cutsOf(slices.Clone(column), p.Bins)
		bins := make([]uint8, n)
		for i, v := range column {
			b, _ := slices.BinarySearch(cuts, v)
			bins[i] = uint8(b)
		}
		t.cuts, t.bins = append(t.cuts, cuts), append(t.bins, bins)
	}
	return t
}

// cutsOf returns at most bins − 1 values that cut a feature's into parts of about
// equally many rows. Between two of the data's values the cut is the lower one.
func cutsOf(values []float64, bins int) []float64 {
	slices.Sort(values)
	var cuts []float64
	last := values[len(values)-1]
	for b := 1; b < bins; b++ {
		v := values[(b*len(values)-1)/bins]
		if v < last && (len(cuts) == 0 || v > cuts[len(cuts)-1]) {
			cuts = append(cuts, v)
		}
	}
	return cuts
}

// grow adds a tree that follows the gradient, and takes it into the predictions.
func (t *trainer) grow(gain []float64) Tree {
	for i := range t.grad {
		t.grad[i] = t.p.Quantile
		if t.y[i] <= t.pred[i] {
			t.grad[i]--
		}
		t.order[i] = int32(i)
	}
	var tree Tree
	t.split(&tree, t.order, 0, math.Inf(-1), math.Inf(1), gain)
	return tree
}

// split makes the node of some rows, and its subtrees. What it returns to any row is
// within [lo, hi].
func (t *trainer) split(tree *Tree, rows []int32, depth int, lo, hi float64, gain []float64) (node int) {
	node = len(*tree)
	*tree = append(*tree, Node{Feature: -1})
	best := cut{}
	if depth < t.p.Depth && len(rows) >= 2*t.p.MinLeaf {
		best = t.best(rows)
	}
	if best.gain <= t.p.MinGain || best.gain <= 0 {
		t.leaf(&(*tree)[node], rows, lo, hi)
		return node
	}
	left, right := t.part(rows, best)
	gain[best.feature] += best.gain
	leftLo, leftHi, rightLo, rightHi := lo, hi, lo, hi
	if c := t.constraint(best.feature); c != 0 {
		mid := (clamp(t.residual(left), lo, hi) + clamp(t.residual(right), lo, hi)) / 2
		if c > 0 {
			leftHi, rightLo = mid, mid
		} else {
			leftLo, rightHi = mid, mid
		}
	}
	l := t.split(tree, left, depth+1, leftLo, leftHi, gain)
	r := t.split(tree, right, depth+1, rightLo, rightHi, gain)
	(*tree)[node] = Node{Feature: int32(best.feature), Cut: t.cuts[best.feature][best.bin], Left: int32(l), Right: int32(r)}
	return node
}

func clamp(v, lo, hi float64) float64 { return min(max(v, lo), hi) }

func (t *trainer) constraint(feature int) int8 {
	if t.p.Monotone == nil {
		return 0
	}
	return t.p.Monotone[feature]
}

// leaf gives a node its word, and its rows that word.
func (t *trainer) leaf(n *Node, rows []int32, lo, hi float64) {
	n.Value = t.p.Rate * clamp(t.residual(rows), lo, hi)
	for _, i := range rows {
		t.pred[i] += n.Value
	}
}

// residual is the quantile of what rows are above their predictions.
func (t *trainer) residual(rows []int32) float64 {
	t.spare = t.spare[:0]
	for _, i := range rows {
		t.spare = append(t.spare, t.y[i]-t.pred[i])
	}
	return quantile(t.spare, t.p.Quantile)
}

// part reorders rows so that those at or below the cut come first.
func (t *trainer) part(rows []int32, c cut) (left, right []int32) {
	bins, n := t.bins[c.feature], 0
	sorted := make([]int32, len(rows))
	for _, i := range rows {
		if int(bins[i]) <= c.bin {
			sorted[n] = i
			n++
		}
	}
	k := n
	for _, i := range rows {
		if int(bins[i]) > c.bin {
			sorted[k] = i
			k++
		}
	}
	copy(rows, sorted)
	return rows[:n], rows[n:]
}
