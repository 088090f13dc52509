package arrival

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
)

// Study is an arrival process over many seeds, beside what it claims to be. What
// does not apply to the process is null.
type Study struct {
	Arrivals  string   `json:"arrivals"`
	RPS       float64  `json:"offered_rps"`
	DurationS float64  `json:"duration_s"`
	Seeds     int      `json:"seeds"`    // 0 … Seeds−1
	Rejected  *float64 `json:"rejected"` // share with a KS p below 0.05
	MedianP   *float64 `json:"median_p"`

	CountMean   float64  `json:"count_mean"`
	CountSD     float64  `json:"count_sd"`
	ExpectCount float64  `json:"expected_count_mean"`
	ExpectSD    *float64 `json:"expected_count_sd"`

	CV         float64  `json:"cv"` // of the unit gaps, mean over seeds
	ExpectCV   float64  `json:"expected_cv"`
	Lag1       *float64 `json:"lag1"`       // correlation of neighbouring gaps, mean over seeds
	Dispersion *float64 `json:"dispersion"` // on the Poisson time scale, mean over seeds

	Sweep []SeedPlace `json:"sweep"` // where the seeds that sweeps use stand among these
}

// SeedPlace is one seed's fit.
type SeedPlace struct {
	Seed       uint64   `json:"seed"`
	Count      int      `json:"count"`
	P          *float64 `json:"p"`
	Percentile *float64 `json:"percentile"` // share of the study's p that are at most this, in percent
}

// NewStudy draws the process with seeds 0 … seeds−1 and fits each, and then the
// seeds of a sweep.
func NewStudy(a Process, rps float64, d time.Duration, seeds int, sweep []uint64) Study {
	s := Study{Arrivals: a.String(), RPS: rps, DurationS: d.Seconds(), Seeds: seeds, ExpectCV: a.CV(), ExpectCount: rps * d.Seconds()}
	var counts, ps, cvs, lags, dispersions []float64
	rejected := 0
	for seed := range uint64(seeds) {
		f := a.Fit(a.Times(rps, seed, d), rps, d)
		counts, cvs = append(counts, float64(f.Arrivals)), append(cvs, f.CV)
		if !math.IsNaN(f.P) {
			ps = append(ps, f.P)
			if f.P < 0.05 {
				rejected++
			}
		}
		if !math.IsNaN(f.Lag1) {
			lags = append(lags, f.Lag1)
		}
		if !math.IsNaN(f.Dispersion) {
			dispersions = append(dispersions, f.Dispersion)
		}
	}
	slices.Sort(ps)
	s.CountMean, s.CountSD = stat.MeanStdDev(counts, nil)
	s.CV, s.Lag1, s.Dispersion = stat.Mean(cvs, nil), meanOf(lags), meanOf(dispersions)
	// By the renewal theorem, as the cell grows.
	s.ExpectCount += (s.ExpectCV*s.ExpectCV - 1) / 2
	if a.Constant() {
		s.Lag1 = nil // of rounding
	} else {
		s.ExpectSD = ptr(s.ExpectCV * math.Sqrt(rps*d.Seconds()))
	}
	if len(ps) > 0 {
		s.Rejected, s.MedianP = ptr(float64(rejected)/float64(len(ps))), ptr(stat.Quantile(0.5, stat.Empirical, ps, nil))
	}
	for _, seed := range sweep {
		f := a.Fit(a.Times(rps, seed, d), rps, d)
		place := SeedPlace{Seed: seed, Count: f.Arrivals}
		if !math.IsNaN(f.P) {
			place.P = ptr(f.P)
			if !a.Constant() && len(ps) > 0 {
				below, _ := slices.BinarySearchFunc(ps, f.P, func(p, at float64) int {
					if p <= at {
						return -1
					}
					return 1
				})
				place.Percentile = ptr(100 * float64(below) / float64(len(ps)))
			}
		}
		s.Sweep = append(s.Sweep, place)
	}
	return s
}

func meanOf(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	return ptr(stat.Mean(values, nil))
}

func ptr(v float64) *float64 { return &v }
