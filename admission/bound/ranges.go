package bound

import "math"

// ranges is an array of numbers with two operations, each in O(log n): add to all of a
// range, and find the least of a range.
type ranges struct {
	n               int
	lowest, lacking []float64 // of a binary tree's nodes; lacking is what its children still lack
}

func newRange(n int) *ranges {
	size := 1
	for size < n {
		size *= 2
	}
	r := &ranges{n: size, lowest: make([]float64, 2*size), lacking: make([]float64, 2*size)}
	for i := range r.lowest {
		r.lowest[i] = math.Inf(1)
	}
	return r
}

// set sets an element before build.
func (r *ranges) set(i int, v float64) { r.lowest[r.n+i] = v }

func (r *ranges) build() {
	for i := r.n - 1; i > 0; i-- {
		r.lowest[i] = min(r.lowest[2*i], r.lowest[2*i+1])
	}
}

// add adds v to the elements [from, to).
func (r *ranges) add(from, to int, v float64) { r.addIn(1, 0, r.n, from, to, v) }

func (r *ranges) addIn(node, lo, hi, from, to int, v float64) {
	if to <= lo || hi <= from {
		return
	}
	if from <= lo && hi <= to {
		r.lowest[node] += v
		r.lacking[node] += v
		return
	}
	mid := (lo + hi) / 2
	r.addIn(2*node, lo, mid, from, to, v)
	r.addIn(2*node+1, mid, hi, from, to, v)
	r.lowest[node] = min(r.lowest[2*node], r.lowest[2*node+1]) + r.lacking[node]
}

// least is the least of the elements [from, to); infinite when there is none.
func (r *ranges) least(from, to int) float64 { return r.leastIn(1, 0, r.n, from, to) }

func (r *ranges) leastIn(node, lo, hi, from, to int) float64 {
	if to <= lo || hi <= from {
		return math.Inf(1)
	}
	if from <= lo && hi <= to {
		return r.lowest[node]
	}
	mid := (lo + hi) / 2
	return min(r.leastIn(2*node, lo, mid, from, to), r.leastIn(2*node+1, mid, hi, from, to)) + r.lacking[node]
}
