// Package tune looks for good parameters of admission policies by measuring them on a
// simulated machine: every policy gets the same number of tries, on the same tapes.
package tune

import (
	"maps"
	"math"
	"strconv"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/policies"
)

// space is what a search may vary of one policy, as a box of one unit in each
// parameter.
type space struct {
	params    []admission.Param
	low, high []float64 // of what is tried, in units, for each parameter
}

// spaceOf is all of a policy's search ranges.
func spaceOf(policy string) space {
	var s space
	for _, k := range policies.Kinds() {
		if k.Name != policy {
			continue
		}
		for _, p := range k.Params {
			if p.Search != (admission.Range{}) {
				s.params, s.low, s.high = append(s.params, p), append(s.low, 0), append(s.high, 1)
			}
		}
	}
	return s
}

// around is the part of s that is a share of it in each direction, with at in its
// middle as far as s reaches.
func (s space) around(at []float64, share float64) space {
	near := space{params: s.params}
	for _, u := range at {
		low := min(max(0, u-share/2), 1-share)
		near.low, near.high = append(near.low, low), append(near.high, low+share)
	}
	return near
}

// points are n points of the box, in units, that fill it evenly: the additive
// recurrence of Roberts (2018), The Unreasonable Effectiveness of Quasirandom
// Sequences, whose steps are powers of the root of x^(d+1) = x + 1.
func (s space) points(n int) [][]float64 {
	d := len(s.params)
	root := 2.0
	for range 64 {
		root = math.Pow(1+root, 1/float64(d+1))
	}
	points := make([][]float64, n)
	for k := range points {
		for i := range d {
			_, u := math.Modf(0.5 + float64(k+1)*math.Pow(root, -float64(i+1)))
			points[k] = append(points[k], s.low[i]+u*(s.high[i]-s.low[i]))
		}
	}
	return points
}

// at are the parameters of a point, to three digits, and what else is given.
func (s space) at(point []float64, given map[string]float64) map[string]float64 {
	params := maps.Clone(given)
	if params == nil {
		params = map[string]float64{}
	}
	for i, p := range s.params {
		params[p.Name] = valueAt(p.Search, point[i])
	}
	return params
}

func valueAt(r admission.Range, u float64) float64 {
	x := r.Low + u*(r.High-r.Low)
	if r.Low > 0 {
		x = r.Low * math.Pow(r.High/r.Low, u)
	}
	if r.Whole {
		x = math.Round(x)
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return min(r.High, max(r.Low, x))
}
