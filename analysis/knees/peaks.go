package knees

import (
	"maps"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
)

// Peaks are the resampled peaks of one rung's goodput.
type Peaks struct {
	Points []*analysis.Point // the valid ones, by rate
	seeds  []uint64
	Best   int       // index of the point at which the mean goodput is highest
	RPS    []float64 // goodput at the peak, a number per draw
	at     []int     // index of its point
}

type peaksKey struct{}

// PeaksOf returns the resampled peaks of every rung.
func PeaksOf(s *analysis.Sweep) []Peaks {
	return s.Once(peaksKey{}, func() any { return resamplePeaks(s, stats.Resamples) }).([]Peaks)
}

// resamplePeaks draws seeds with replacement, the same ones for every rung and rate as
// they replay the same tapes, and in every cell of a drawn seed blocks of adjacent
// arrivals with replacement (see resampler). Each draw's peak is the highest mean
// goodput over the rates, the lowest rate among equals. One seed varies by its
// requests alone.
func resamplePeaks(s *analysis.Sweep, resamples int) []Peaks {
	all := make([]Peaks, len(s.Rungs))
	seeds := map[uint64]bool{}
	tapes := map[string]bool{}
	for i, rung := range s.Rungs {
		for _, p := range s.Of(rung) {
			if !p.Valid() {
				continue
			}
			all[i].Points = append(all[i].Points, p)
			for _, c := range p.Used() {
				seeds[c.Cell.Seed], tapes[c.Cell.TapeHash] = true, true
			}
		}
	}
	named := slices.Sorted(maps.Keys(tapes))
	drawn := drawSeeds(stats.NewResampler(named), len(seeds), resamples)
	order := slices.Sorted(maps.Keys(seeds))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, rung := range s.Rungs {
		g.Go(func() error {
			all[i].draw(order, drawn, stats.NewResampler(append(slices.Clone(named), rung)))
			return nil
		})
	}
	_ = g.Wait()
	return all
}

// drawSeeds returns the indices of the drawn seeds, as many as there are for each draw.
func drawSeeds(r *stats.Resampler, seeds, resamples int) [][]int {
	drawn := make([][]int, resamples)
	for i := range drawn {
		for range seeds {
			drawn[i] = append(drawn[i], r.IntN(seeds))
		}
	}
	return drawn
}

func (p *Peaks) draw(seeds []uint64, drawn [][]int, r *stats.Resampler) {
	p.seeds = seeds
	if len(p.Points) == 0 {
		return
	}
	cells := make([][][]circle, len(p.Points)) // per point and seed
	best := math.Inf(-1)
	for i, point := range p.Points {
		cells[i] = make([][]circle, len(seeds))
		for _, c := range point.Used() {
			at, _ := slices.BinarySearch(seeds, c.Cell.Seed)
			cells[i][at] = append(cells[i][at], circleOf(c))
		}
		if mean := point.Range(analysis.Goodput).Mean; mean > best {
			best, p.Best = mean, i
		}
	}
	for _, draw := range drawn {
		top, at := math.Inf(-1), 0
		for i := range cells {
			if g, ok := meanOf(cells[i], draw, r); ok && g > top {
				top, at = g, i
			}
		}
		if !math.IsInf(top, -1) {
			p.RPS, p.at = append(p.RPS, top), append(p.at, at)
		}
	}
}

// meanOf draws the mean goodput of one point over the drawn seeds. Replicates of a seed
// are averaged first; a seed that the point lacks is passed over.
func meanOf(cells [][]circle, draw []int, r *stats.Resampler) (mean float64, ok bool) {
	n := 0
	for _, seed := range draw {
		own := cells[seed]
		if len(own) == 0 {
			continue
		}
		sum := 0.0
		for i := range own {
			sum += own[i].draw(r)
		}
		n++
		mean += (sum/float64(len(own)) - mean) / float64(n)
	}
	return mean, n > 0
}

// circle is a cell's arrivals set in a circle.
type circle struct {
	upTo   []int32 // good ones among the first i of two rounds
	n      int
	block  int
	length float64 // of the window, seconds
}

func circleOf(c *analysis.CellMetrics) circle {
	good := c.Answered.Good
	k := circle{n: len(good), block: max(1, min(c.Answered.Block, len(good))), length: c.Window.Length(), upTo: make([]int32, 2*len(good)+1)}
	for i := range 2 * len(good) {
		k.upTo[i+1] = k.upTo[i]
		if good[i%len(good)] {
			k.upTo[i+1]++
		}
	}
	return k
}

// draw returns the goodput of as many arrivals as there were, in blocks of adjacent
// ones with replacement.
func (k *circle) draw(r *stats.Resampler) float64 {
	if k.n == 0 || k.length <= 0 {
		return 0
	}
	good := int32(0)
	if k.upTo[k.n] == 0 || int(k.upTo[k.n]) == k.n { // every draw is the same
		return float64(k.upTo[k.n]) / k.length
	}
	for left := k.n; left > 0; left -= k.block {
		at := r.IntN(k.n)
		good += k.upTo[at+min(k.block, left)] - k.upTo[at]
	}
	return float64(good) / k.length
}

// location returns the indices of the points between which 95% of the peaks are.
func (p *Peaks) location() (lo, hi int) {
	if len(p.at) == 0 {
		return p.Best, p.Best
	}
	at := slices.Sorted(slices.Values(p.at))
	cut := len(at) - int(math.Ceil((1+stats.Confidence)/2*float64(len(at))))
	return min(at[cut], p.Best), max(at[len(at)-1-cut], p.Best)
}

// goodput is the 95% interval of the peak's height: the wider on each side of the
// resampled one and Student's t over the seeds' own goodput at the peak, as in
// estimates.
func (p *Peaks) goodput() (lo, hi float64) {
	own := perSeed(p.Points[p.Best], analysis.Goodput)
	spans := make([]stats.Interval, len(own))
	for i, v := range own {
		spans[i] = stats.Interval{Lo: v, Hi: v}
	}
	draws := make([]stats.Interval, len(p.RPS))
	for i, v := range p.RPS {
		draws[i] = stats.Interval{Lo: v, Hi: v}
	}
	t := stats.Student(spans)
	if len(draws) == 0 {
		return max(t.Lo, 0), t.Hi
	}
	d := stats.Percentile(draws)
	return max(min(d.Lo, t.Lo), 0), max(d.Hi, t.Hi)
}

// perSeed returns a metric of each seed of the used cells, by seed, replicates averaged.
func perSeed(p *analysis.Point, m analysis.Metric) []float64 {
	var values []float64
	for _, replicates := range analysis.BySeed(p.Used()) {
		if v := analysis.Average(replicates, m); v.OK {
			values = append(values, v.V)
		}
	}
	return values
}
