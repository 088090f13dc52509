package gbm

import (
	"fmt"
	"math"
)

// Model predicts a quantile. Its fields are for encoding.
type Model struct {
	Features int     `json:"features"`
	Base     float64 `json:"base"`
	Trees    []Tree  `json:"trees"`
	// Gain is how much each feature's splits lowered the squared error of the
	// gradient, summed over trees: its importance.
	Gain []float64 `json:"gain"`
}

// Tree has its root first.
type Tree []Node

// Node is a split, or a leaf when Feature is -1.
type Node struct {
	Feature int32   `json:"f"`
	Cut     float64 `json:"c,omitempty"` // at or below it goes left
	Left    int32   `json:"l,omitempty"`
	Right   int32   `json:"r,omitempty"`
	Value   float64 `json:"v,omitempty"`
}

// Predict returns the quantile for a row of m.Features features. It allocates
// nothing.
func (m *Model) Predict(row []float64) float64 {
	sum := m.Base
	for _, t := range m.Trees {
		n := &t[0]
		for n.Feature >= 0 {
			if row[n.Feature] <= n.Cut {
				n = &t[n.Left]
			} else {
				n = &t[n.Right]
			}
		}
		sum += n.Value
	}
	return sum
}

// Importance is each feature's share of the gain; zeros when no tree has a split.
func (m *Model) Importance() []float64 {
	total := 0.0
	for _, g := range m.Gain {
		total += g
	}
	shares := make([]float64, len(m.Gain))
	for i, g := range m.Gain {
		if total > 0 {
			shares[i] = g / total
		}
	}
	return shares
}

// Check says what is wrong with a model that was read, if anything: whether it takes
// rows of so many features, and whether Predict ends on every one.
func (m *Model) Check(features int) error {
	if m.Features != features || len(m.Gain) != features {
		return fmt.Errorf("gbm: a model of %d features with %d gains: want %d", m.Features, len(m.Gain), features)
	}
	if math.IsNaN(m.Base) || math.IsInf(m.Base, 0) {
		return fmt.Errorf("gbm: its base is %v", m.Base)
	}
	for i, t := range m.Trees {
		if len(t) == 0 {
			return fmt.Errorf("gbm: tree %d is empty", i)
		}
		for j, n := range t {
			// Children come behind their parent, so a walk ends.
			inner := n.Feature >= 0 && int(n.Feature) < features && int(n.Left) > j && int(n.Right) > j && int(n.Left) < len(t) && int(n.Right) < len(t)
			if n.Feature != -1 && !inner {
				return fmt.Errorf("gbm: node %d of tree %d leads to no leaf", j, i)
			}
		}
	}
	return nil
}
