package conformal

import (
	"math"
	"slices"
	"sort"
)

// Window holds the latest scores, and their order. After it is full nothing is
// allocated.
type Window struct {
	size   int
	recent []float64 // a ring
	sorted []float64
	next   int
}

// NewWindow returns a window of the latest size scores.
func NewWindow(size int) *Window {
	return &Window{size: size, recent: make([]float64, 0, size), sorted: make([]float64, 0, size)}
}

// Len is how many scores it holds.
func (w *Window) Len() int { return len(w.sorted) }

// Add puts in a score; the oldest goes when it is full. NaN is ignored.
func (w *Window) Add(x float64) {
	if math.IsNaN(x) {
		return
	}
	if len(w.recent) < w.size {
		w.recent = append(w.recent, x)
		w.sorted = append(w.sorted, x)
	} else {
		w.drop(w.recent[w.next])
		w.recent[w.next] = x
		w.sorted = append(w.sorted, x)
	}
	w.next = (w.next + 1) % w.size
	i := sort.SearchFloat64s(w.sorted[:len(w.sorted)-1], x)
	copy(w.sorted[i+1:], w.sorted[i:])
	w.sorted[i] = x
}

func (w *Window) drop(x float64) {
	i := sort.SearchFloat64s(w.sorted, x)
	w.sorted = append(w.sorted[:i], w.sorted[i+1:]...)
}

// AtMost is how many scores are at most x.
func (w *Window) AtMost(x float64) int {
	return sort.Search(len(w.sorted), func(i int) bool { return w.sorted[i] > x })
}

// Quantile is as the function of that name.
func (w *Window) Quantile(alpha float64) (q float64, ok bool) {
	k, ok := Rank(len(w.sorted), alpha)
	if !ok {
		return math.Inf(1), false
	}
	return w.sorted[k-1], true
}

// Middle is the score below which a share of them lies, without any promise; 0 of none.
func (w *Window) Middle(share float64) float64 {
	if len(w.sorted) == 0 {
		return 0
	}
	return w.sorted[min(int(share*float64(len(w.sorted))), len(w.sorted)-1)]
}

// Scores returns the scores, oldest first.
func (w *Window) Scores() []float64 {
	if len(w.recent) < w.size {
		return slices.Clone(w.recent)
	}
	return slices.Concat(w.recent[w.next:], w.recent[:w.next])
}
