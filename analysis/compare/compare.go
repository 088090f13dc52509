// Package compare compares two runs, or two rungs of one, request by request: cells that
// replayed the same tape are paired, their requests resampled in blocks, and every metric
// gets a difference with an interval and a finding. Swapping the two changes the signs and
// nothing else.
package compare

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
)

// Delta is one metric of B against A at one rate.
type Delta struct {
	Contrast
	A, B analysis.Range // of the cells, over seeds; nothing for a paired median
	// Point is the mean of the seeds' differences, in the contrast's scale. Its ends
	// differ where unanswered requests leave it open.
	Point    stats.Interval
	Interval stats.Interval // 95%
	// Smallest is the effect that this sample would have shown with the chance
	// Power; +Inf when there is none.
	Smallest float64
	Finding  Finding
	Reason   string // why nobody can tell
}

// Versus is B against A at one offered rate.
type Versus struct {
	RungA, RungB string
	OfferedRPS   float64
	Seeds        []uint64
	Requests     int // pairs over all seeds and replicates
	Unpaired     int // requests in the window of one side only
	Block        int // longest block of requests that is resampled as one
	Blocks       int // over all seeds: pairs over the length of their block
	TTFT, E2E    Duel
	Good         Good
	Deltas       []Delta // of the contrasts that either side measured
}

// Comparison is B against A.
type Comparison struct {
	A, B     string
	Matching Matching
	Points   []Versus // by rung and rate
	// Interleaved says that the cells of both were measured in one sweep, turn by
	// turn. Those of two sweeps may differ by what the machine did in between.
	Interleaved bool
	SpeedA      Speed
	SpeedB      Speed
}

// Speed is the machine's speed before the cells of one arm that were compared, as
// its probes had it.
type Speed struct{ Decode, Prefill analysis.Range }

func (m *Matching) speed(of func(Partners) *analysis.CellMetrics) Speed {
	var cells []*analysis.CellMetrics
	for _, p := range m.Pairs {
		cells = append(cells, of(p))
	}
	return Speed{analysis.RangeOf(cells, analysis.ProbeDecode), analysis.RangeOf(cells, analysis.ProbePrefill)}
}

// ErrNoCommonTape says that two arms have no cells that pair.
var ErrNoCommonTape = errors.New("have no valid cells that replayed the same tape")

// Arms pairs the cells of two arms and compares them by the contrasts. The order
// of the arms decides the sign and nothing else.
func Arms(a, b Arm, contrasts []Contrast) (*Comparison, error) {
	c := &Comparison{A: a.Name, B: b.Name, Matching: Match(a, b)}
	if len(c.Matching.Pairs) == 0 {
		return nil, fmt.Errorf("%s and %s %w at any rate and seed: offer both the same --workload, --rates, --seeds and --duration", a.Name, b.Name, ErrNoCommonTape)
	}
	c.Interleaved = a.Sweep == b.Sweep
	c.SpeedA = c.Matching.speed(func(p Partners) *analysis.CellMetrics { return p.A })
	c.SpeedB = c.Matching.speed(func(p Partners) *analysis.CellMetrics { return p.B })
	groups := byPoint(c.Matching.Pairs)
	c.Points = make([]Versus, len(groups))
	errs := make([]error, len(groups))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range groups {
		g.Go(func() error {
			c.Points[i], errs[i] = versus(a, b, groups[i], contrasts)
			return nil // all errors are joined below
		})
	}
	_ = g.Wait()
	return c, errors.Join(errs...)
}

// byPoint splits sorted pairs by rung and rate.
func byPoint(pairs []Partners) [][]Partners {
	var groups [][]Partners
	for i, p := range pairs {
		if i == 0 || p.A.Cell.Rung != pairs[i-1].A.Cell.Rung || p.A.Cell.OfferedRPS != pairs[i-1].A.Cell.OfferedRPS {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], p)
	}
	return groups
}

func versus(a, b Arm, cells []Partners, contrasts []Contrast) (Versus, error) {
	var pairs []*requestPairs
	for _, p := range cells {
		left, err := a.Records(p.A.Cell.Key)
		if err != nil {
			return Versus{}, err
		}
		right, err := b.Records(p.B.Cell.Key)
		if err != nil {
			return Versus{}, err
		}
		pairs = append(pairs, pairRequests(p, left, right))
	}
	return versusOf(cells, pairs, contrasts, stats.Resamples), nil
}

// versusOf compares pairs of cells of one rung and rate, by seed and replicate.
func versusOf(cells []Partners, pairs []*requestPairs, contrasts []Contrast, resamples int) Versus {
	v := Versus{RungA: cells[0].A.Cell.Rung, RungB: cells[0].B.Cell.Rung, OfferedRPS: cells[0].A.Cell.OfferedRPS}
	var seeds [][]*pairStat // by seed
	var tapes []string
	counted := false // a pair of this seed has requests
	for i, p := range pairs {
		if seed := cells[i].A.Cell.Seed; i == 0 || seed != cells[i-1].A.Cell.Seed {
			v.Seeds, tapes, counted = append(v.Seeds, seed), append(tapes, cells[i].A.Cell.TapeHash), false
		}
		v.count(p)
		if p.n == 0 {
			continue
		}
		if !counted {
			seeds, counted = append(seeds, nil), true
		}
		last := len(seeds) - 1
		seeds[last] = append(seeds[last], newPairStat(p, contrasts))
	}
	if len(seeds) == 0 {
		return v
	}
	for i, e := range estimates(seeds, contrasts, resamples, stats.NewResampler(tapes)) {
		d := Delta{Contrast: contrasts[i], Point: e.point, Interval: e.interval}
		if d.of != nil {
			for _, replicates := range seeds {
				var a, b analysis.Range
				for _, p := range replicates {
					a.Add(d.of(&p.a, unitCounts(p.n)))
					b.Add(d.of(&p.b, unitCounts(p.n)))
				}
				d.A.Add(a.Value())
				d.B.Add(b.Value())
			}
			if d.A.N == 0 && d.B.N == 0 {
				continue
			}
		}
		d.Smallest = smallest((d.Interval.Hi - d.Interval.Lo) / 2)
		d.judge(&v, seeds)
		v.Deltas = append(v.Deltas, d)
	}
	return v
}

func (v *Versus) count(p *requestPairs) {
	v.Requests += p.n
	v.Unpaired += p.unpaired
	v.Block = max(v.Block, p.block)
	v.Blocks += p.n / p.block
	for i := range p.n {
		v.TTFT.add(p.a.ttftAll[i], p.b.ttftAll[i])
		v.E2E.add(p.a.e2eAll[i], p.b.e2eAll[i])
		v.Good.add(p.a.good[i], p.b.good[i])
	}
}

// ArmOf returns the run as one side of a comparison: all of it, or one rung.
func ArmOf(r *analysis.Run, name, rung string) Arm {
	return Arm{Name: name, Sweep: r.Sweep, Rung: rung, Records: r.Records}
}
