package paired

import "slices"

// Tally counts the verdicts of several gates on the same question.
type Tally struct {
	Gates []Judgement
	All   Judgement // of the pairs of all gates together
}

// Gates cuts pairs, in the order in which they were measured, into gates of k pairs
// each and judges every one. What is left over is in no gate.
func (r Rule) Gates(pairs []Pair, k int) Tally {
	var t Tally
	for from := 0; from+k <= len(pairs); from += k {
		t.Gates = append(t.Gates, r.JudgePairs(pairs[from:from+k]))
	}
	t.All = r.JudgePairs(pairs[:len(t.Gates)*k])
	return t
}

// Count is how many gates had a verdict.
func (t Tally) Count(v Verdict) (n int) {
	for _, g := range t.Gates {
		if g.Verdict == v {
			n++
		}
	}
	return n
}

// Share is the share of gates that had a verdict, with its 95% interval.
func (t Tally) Share(v Verdict) Share { return ShareOf(t.Count(v), len(t.Gates), 0.95) }

// MedianSmallest is the median over the gates of the smallest slowdown that each could
// have detected; NaN without gates.
func (t Tally) MedianSmallest() float64 {
	var all []float64
	for _, g := range t.Gates {
		all = append(all, g.Smallest)
	}
	slices.Sort(all)
	return middle(all)
}

// Brought returns pairs with B's times in one proportion, such that the slowdown over all
// of them is so much. A slowdown that was planted may come out as another one; this shows
// what gates say of the one that was meant, with the scatter that was measured.
func (r Rule) Brought(pairs []Pair, slowdown float64) []Pair {
	by := (1 + slowdown) / (1 + r.JudgePairs(pairs).Slowdown.Estimate)
	scaled := slices.Clone(pairs)
	for i := range scaled {
		scaled[i].B.Seconds *= by
	}
	return scaled
}
