package gbm

// cut splits a node's rows: those whose bin of the feature is at most bin go left.
type cut struct {
	feature, bin int
	gain         float64
}

// best finds the cut with the largest gain, the first among equals.
func (t *trainer) best(rows []int32) cut {
	var total float64
	for _, i := range rows {
		total += t.grad[i]
	}
	best := cut{}
	var sums [256]float64
	var counts [256]int
	for f, bins := range t.bins {
		n := len(t.cuts[f]) + 1
		if n == 1 {
			continue
		}
		clear(sums[:n])
		clear(counts[:n])
		for _, i := range rows {
			sums[bins[i]] += t.grad[i]
			counts[bins[i]]++
		}
		t.scan(f, sums[:n], counts[:n], total, len(rows), &best)
	}
	return best
}

// scan looks for a better cut of one feature. A cut whose sides ask for the opposite
// of the feature's constraint is none.
func (t *trainer) scan(f int, sums []float64, counts []int, total float64, rows int, best *cut) {
	c := t.constraint(f)
	var left float64
	n := 0
	for b := 0; b < len(sums)-1; b++ {
		left += sums[b]
		n += counts[b]
		if n < t.p.MinLeaf {
			continue
		}
		if rows-n < t.p.MinLeaf {
			return
		}
		right, m := total-left, rows-n
		if rise := right/float64(m) - left/float64(n); float64(c)*rise < 0 {
			continue
		}
		gain := t.score(left, n) + t.score(right, m) - t.score(total, rows)
		if gain > best.gain+1e-12 {
			*best = cut{f, b, gain}
		}
	}
}

func (t *trainer) score(sum float64, n int) float64 { return sum * sum / (float64(n) + t.p.Shrinkage) }
