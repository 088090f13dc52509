package analysis

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
)

const (
	// Resamples is how often a comparison is resampled: for the ends of a 95%
	// interval 1,000 or more are advised (Efron and Tibshirani, An Introduction to
	// the Bootstrap, section 12 and 19.3), and twice that costs little.
	Resamples = 2000
	// ResampleSeed begins the random stream of every comparison; the tapes' hashes
	// follow, so that the same comparison always gives the same interval.
	ResampleSeed = 1
)

// resampler draws seeds with replacement, and then, in each drawn seed, blocks of
// adjacent requests of a circle with replacement, as many requests as there were
// (Politis and Romano, A circular block-resampling procedure for stationary data,
// 1992: moving blocks, with which the first and the last requests, the extremes of a
// growing queue, come as often as any other).
type resampler struct {
	*rand.Rand
	times []int32
}

func newResampler(tapes []string) *resampler {
	h := sha256.New()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], ResampleSeed)
	h.Write(b[:])
	for _, tape := range tapes {
		h.Write([]byte(tape))
	}
	sum := h.Sum(nil)
	return &resampler{Rand: rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))}
}

// requests draws n requests in blocks and returns how often each was drawn. The
// result is valid until the next call.
func (r *resampler) requests(n, block int) []int32 {
	r.times = slices.Grow(r.times[:0], n)[:n]
	clear(r.times)
	for drawn := 0; drawn < n; {
		at := r.IntN(n)
		for range min(block, n-drawn) {
			r.times[at]++
			drawn++
			if at++; at == n {
				at = 0
			}
		}
	}
	return r.times
}

// estimate is a contrast over seeds: the mean of the seeds' own. A seed's own is the
// mean of its replicates'.
type estimate struct{ point, interval span }

// estimates gives every contrast of the pairs of cells of one rung and rate, seed by
// seed and in each its replicates, with its 95% interval: the wider on each side of
//
//   - the percentile interval of the two-level bootstrap, and
//   - Student's t interval of the seeds' own differences.
//
// The second is there because few seeds resampled vary too little (three of them
// never leave the range of the three), and what moves a cell as a whole, such as the
// machine's speed, shows between seeds only. One seed has the first alone. Replicates of
// a seed are resampled by the same requests, which are what they have in common.
func estimates(seeds [][]*pairStat, contrasts []Contrast, resamples int, r *resampler) []estimate {
	own := make([][]span, len(contrasts)) // per contrast and seed
	drawn := make([][]span, len(contrasts))
	for _, replicates := range seeds {
		each := make([][]span, len(contrasts))
		for _, p := range replicates {
			all := unitCounts(p.n)
			for i := range contrasts {
				each[i] = append(each[i], contrasts[i].difference(p, all))
			}
		}
		for i := range contrasts {
			own[i] = append(own[i], meanSpan(each[i]))
		}
	}
	for range resamples {
		sums := make([]span, len(contrasts))
		for range seeds {
			replicates := seeds[r.IntN(len(seeds))]
			var times []int32
			for _, p := range replicates {
				if len(times) != p.n {
					times = r.requests(p.n, p.block)
				}
				for i := range contrasts {
					d := contrasts[i].difference(p, times)
					sums[i].lo += d.lo / float64(len(replicates))
					sums[i].hi += d.hi / float64(len(replicates))
				}
			}
		}
		for i, s := range sums {
			drawn[i] = append(drawn[i], span{s.lo / float64(len(seeds)), s.hi / float64(len(seeds))})
		}
	}
	out := make([]estimate, len(contrasts))
	for i := range out {
		out[i].point = meanSpan(own[i])
		p, t := percentile(drawn[i]), student(own[i])
		out[i].interval = span{minOrUnbounded(p.lo, t.lo, out[i].point.lo), -minOrUnbounded(-p.hi, -t.hi, -out[i].point.hi)}
	}
	return out
}

// minOrUnbounded is the smallest number; one that is not known counts as −∞.
func minOrUnbounded(values ...float64) float64 {
	m := math.Inf(1)
	for _, v := range values {
		if math.IsNaN(v) {
			v = math.Inf(-1)
		}
		m = min(m, v)
	}
	return m
}

func meanSpan(spans []span) span {
	var m span
	for _, s := range spans {
		m.lo += s.lo
		m.hi += s.hi
	}
	return span{orInfinite(m.lo/float64(len(spans)), -1), orInfinite(m.hi/float64(len(spans)), 1)}
}

// orInfinite replaces what is not a number by the infinity of that sign.
func orInfinite(v float64, sign int) float64 {
	if math.IsNaN(v) {
		return math.Inf(sign)
	}
	return v
}

// percentile cuts (1 − confidence)/2 of the resampled means off each end.
func percentile(drawn []span) span {
	lo, hi := make([]float64, len(drawn)), make([]float64, len(drawn))
	for i, d := range drawn {
		lo[i], hi[i] = orInfinite(d.lo, -1), orInfinite(d.hi, 1)
	}
	slices.Sort(lo)
	slices.Sort(hi)
	cut := max(int((1-stats.Confidence)/2*float64(len(drawn)))-1, 0)
	return span{lo[cut], hi[len(hi)-1-cut]}
}

// student is the t interval of the mean of independent values; with one value it has
// no width.
func student(own []span) span {
	m := meanSpan(own)
	if len(own) < 2 {
		return m
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(len(own) - 1)}.Quantile((1 + stats.Confidence) / 2)
	half := func(of func(span) float64) float64 {
		values := make([]float64, len(own))
		for i, s := range own {
			values[i] = of(s)
		}
		return t * stat.StdErr(stat.StdDev(values, nil), float64(len(values)))
	}
	// An infinite value makes its side NaN, which the caller takes as unbounded.
	return span{m.lo - half(func(s span) float64 { return s.lo }), m.hi + half(func(s span) float64 { return s.hi })}
}
