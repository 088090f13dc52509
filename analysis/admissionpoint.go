package analysis

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// AdmissionPoint is what all cells of a rung at a rate say about its policy.
type AdmissionPoint struct {
	*Point
	Policy string
	Alpha  results.Opt[float64]
	Cells  []*Promise // by seed and replicate
	// Violated is the share of the ledger that did not end well within the SLO.
	Violated Proportion
	// Covered is the share of those with a bound that ended within it: another thing,
	// since a bound may be far below or above the SLO.
	Covered Proportion
	// Theta sums where θ stood; Decided is 0 where nobody says.
	Theta Theta
	// Interior is the share of the ledger's requests taken while θ was interior that did
	// not end well within the SLO.
	Interior Proportion
	// Worst is the lowest attainment of WorstRun requests in a row, in any cell.
	Worst results.Opt[float64]
	// OfUpper is what was answered in time over the most that any policy could have.
	OfUpper results.Opt[float64]
}

// Proportion is a share with an interval of 95%.
type Proportion struct {
	Of, N  int // N of which Of
	P      float64
	Lo, Hi float64
	// BySeeds says that the interval is of the mean over seeds (Student's t). With
	// fewer than three it is that of independent requests (Clopper and Pearson 1934),
	// and too narrow: requests of one queue are late together.
	BySeeds bool
}

// Admissions returns the rungs and rates that have an admission policy, in the sweep's
// order.
func (s *Sweep) Admissions() []AdmissionPoint {
	var all []AdmissionPoint
	for i := range s.Points {
		if a := admissionPoint(&s.Points[i]); len(a.Cells) > 0 {
			all = append(all, a)
		}
	}
	return all
}

func admissionPoint(p *Point) AdmissionPoint {
	a := AdmissionPoint{Point: p}
	var good int
	var upper float64
	known := true
	for _, c := range p.Used() {
		if !c.Promise.OK {
			continue
		}
		one := &c.Promise.V
		a.Cells = append(a.Cells, one)
		a.Policy, a.Alpha = one.Policy, one.Alpha
		if one.Worst.OK && (!a.Worst.OK || one.Worst.V < a.Worst.V) {
			a.Worst = one.Worst
		}
		good, upper, known = good+one.Good, upper+one.Upper.V, known && one.Upper.OK
	}
	if known && upper > 0 {
		a.OfUpper = results.Some(float64(good) / upper)
	}
	a.Violated = shareOf(a.Cells, func(c *Promise) (of, n int) { return c.Violations, c.Ledger })
	a.Covered = shareOf(a.Cells, func(c *Promise) (of, n int) { return c.Covered, c.Bounded })
	for _, c := range a.Cells {
		a.Theta.join(&c.Theta)
	}
	a.Interior = shareOf(a.Cells, func(c *Promise) (of, n int) { return c.Theta.Violations, c.Theta.Ledger })
	return a
}

// Sum adds a count over the cells.
func (a *AdmissionPoint) Sum(of func(*Promise) int) (n int) {
	for _, c := range a.Cells {
		n += of(c)
	}
	return n
}

// shareOf is a proportion over cells, which are independent of one another.
func shareOf(cells []*Promise, of func(*Promise) (of, n int)) Proportion {
	var s Proportion
	var ratios, weights []float64
	for _, c := range cells {
		k, n := of(c)
		s.Of, s.N = s.Of+k, s.N+n
		if n > 0 {
			ratios, weights = append(ratios, float64(k)/float64(n)), append(weights, float64(n))
		}
	}
	if s.N == 0 {
		return s
	}
	s.P = float64(s.Of) / float64(s.N)
	if len(ratios) < 3 {
		s.Lo, s.Hi = stats.ClopperPearson(s.Of, s.N, 0.025)
		return s
	}
	s.BySeeds = true
	// The variance of the ratio of sums, by linearisation: each cell's residual
	// k − P·n weighs as its requests do (Cochran, Sampling Techniques, 6.3).
	m := float64(len(ratios))
	residuals := make([]float64, len(ratios))
	for i := range ratios {
		residuals[i] = (ratios[i] - s.P) * weights[i]
	}
	se := math.Sqrt(m*stat.Variance(residuals, nil)) / float64(s.N)
	t := distuv.StudentsT{Sigma: 1, Nu: m - 1}.Quantile(0.975)
	s.Lo, s.Hi = max(0, s.P-t*se), min(1, s.P+t*se)
	return s
}
