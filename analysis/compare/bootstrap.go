package compare

import "github.com/cadence-bench/cadence-bench/analysis/stats"

// estimate is a contrast over seeds: the mean of the seeds' own. A seed's own is the
// mean of its replicates'.
type estimate struct{ point, interval stats.Interval }

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
func estimates(seeds [][]*pairStat, contrasts []Contrast, resamples int, r *stats.Resampler) []estimate {
	own := make([][]stats.Interval, len(contrasts)) // per contrast and seed
	drawn := make([][]stats.Interval, len(contrasts))
	for _, replicates := range seeds {
		each := make([][]stats.Interval, len(contrasts))
		for _, p := range replicates {
			all := unitCounts(p.n)
			for i := range contrasts {
				each[i] = append(each[i], contrasts[i].difference(p, all))
			}
		}
		for i := range contrasts {
			own[i] = append(own[i], stats.MeanInterval(each[i]))
		}
	}
	for range resamples {
		sums := make([]stats.Interval, len(contrasts))
		for range seeds {
			replicates := seeds[r.IntN(len(seeds))]
			var times []int32
			for _, p := range replicates {
				if len(times) != p.n {
					times = r.Requests(p.n, p.block)
				}
				for i := range contrasts {
					d := contrasts[i].difference(p, times)
					sums[i].Lo += d.Lo / float64(len(replicates))
					sums[i].Hi += d.Hi / float64(len(replicates))
				}
			}
		}
		for i, s := range sums {
			drawn[i] = append(drawn[i], stats.Interval{Lo: s.Lo / float64(len(seeds)), Hi: s.Hi / float64(len(seeds))})
		}
	}
	out := make([]estimate, len(contrasts))
	for i := range out {
		out[i].point = stats.MeanInterval(own[i])
		p, t := stats.Percentile(drawn[i]), stats.Student(own[i])
		out[i].interval = stats.Interval{Lo: min(p.Lo, t.Lo, out[i].point.Lo), Hi: max(p.Hi, t.Hi, out[i].point.Hi)}
	}
	return out
}
