package ideal

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// Plan says how much is run. Every replication has its own seed, from 0.
type Plan struct {
	Replications int     `json:"replications"`
	Requests     int     `json:"requests"`   // of a replication at ρ = 0.3; more at higher load
	Confidence   float64 `json:"confidence"` // that all intervals of a run together hold their values
}

// DefaultPlan takes half a minute on two cores.
func DefaultPlan() Plan { return Plan{Replications: 100, Requests: 4000, Confidence: 0.99} }

// Queues are the servers of the self-test: one and four places, fixed and
// exponential service, lightly and heavily loaded.
func Queues() []Queue {
	var qs []Queue
	for _, load := range []float64{0.3, 0.7, 0.9} {
		qs = append(qs, Queue{1, false, load}, Queue{4, false, load}, Queue{1, true, load}, Queue{4, true, load})
	}
	return qs
}

// levels are the quantiles that are compared.
var levels = []float64{0.5, 0.9, 0.99}

// Estimate is a mean over replications beside what theory says.
type Estimate struct {
	Theory   float64 `json:"theory"`
	Measured float64 `json:"measured"`
	Half     float64 `json:"half"` // half the width of the interval around Measured
	OK       bool    `json:"ok"`   // Theory is in it
}

// Level is one quantile of the waiting time. An order statistic of dependent waits is
// biased; the share of waits up to the theoretical quantile is not, and is what the
// interval is for.
type Level struct {
	P        float64  `json:"p"`
	Theory   float64  `json:"theory"`   // the quantile
	Measured float64  `json:"measured"` // of all waits together
	Share    Estimate `json:"share"`    // of waits at most Theory
}

// Answer is one queue. Waits are in mean service times.
type Answer struct {
	Queue    string   `json:"queue"`
	Load     float64  `json:"load"`
	Requests int      `json:"requests"` // over all replications, without those of the start
	Mean     Estimate `json:"mean"`
	Levels   []Level  `json:"levels"`
}

// OK reports whether theory is within every interval.
func (a Answer) OK() bool {
	return a.Mean.OK && !slices.ContainsFunc(a.Levels, func(l Level) bool { return !l.Share.OK })
}

// requests of a replication. A queue forgets in about 1/(1 − √ρ)² services, 380 at
// ρ = 0.9, so that busier ones need more for equal intervals, and start is what
// each drops for having begun empty: six times that.
func (p Plan) requests(load float64) (n, start int) {
	memory := 1 / ((1 - math.Sqrt(load)) * (1 - math.Sqrt(load)))
	start = int(6*memory) + 100
	return start + int(float64(p.Requests)*max(1, memory/30)), start
}

// Known runs every queue in virtual time and compares it with theory.
func Known(ctx context.Context, p Plan) ([]Answer, error) {
	qs := Queues()
	answers := make([]Answer, len(qs))
	intervals := len(qs) * (1 + len(levels))
	for i, q := range qs {
		n, start := p.requests(q.Load)
		waits, err := replicate(ctx, p.Replications, func(seed uint64) *replication {
			return newReplication(q, time.Second, seed, n)
		})
		if err != nil {
			return nil, err
		}
		for r := range waits {
			waits[r] = waits[r][min(start, len(waits[r])):]
		}
		answers[i] = compare(q, waits, 1-(1-p.Confidence)/float64(intervals))
	}
	return answers, nil
}

// replicate runs replications of seeds 0 … n−1 in virtual time, as many at once as
// there are processors.
func replicate(ctx context.Context, n int, of func(seed uint64) *replication) ([][]float64, error) {
	all := make([][]float64, n)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range all {
		g.Go(func() error {
			waits, err := run(ctx, clock.NewVirtual(), []*replication{of(uint64(i))})
			if err == nil {
				all[i] = waits[0]
			}
			return err
		})
	}
	return all, g.Wait()
}

// compare sets the waits of replications beside theory, each interval with the given
// confidence (Student's t over replications).
func compare(q Queue, waits [][]float64, confidence float64) Answer {
	theory := q.Waits()
	a := Answer{Queue: q.String(), Load: q.Load}
	all := slices.Concat(waits...)
	slices.Sort(all)
	a.Requests = len(all)
	over := func(want float64, of func([]float64) float64) Estimate {
		values := make([]float64, len(waits))
		for i, w := range waits {
			values[i] = of(w)
		}
		return estimate(want, values, confidence)
	}
	a.Mean = over(theory.Mean, func(w []float64) float64 { return stat.Mean(w, nil) })
	for _, p := range levels {
		l := Level{P: p, Theory: theory.Quantile(p), Measured: stat.Quantile(p, stat.Empirical, all, nil)}
		l.Share = over(theory.CDF(l.Theory), func(w []float64) float64 {
			n := 0
			for _, v := range w {
				if v <= l.Theory {
					n++
				}
			}
			return float64(n) / float64(len(w))
		})
		a.Levels = append(a.Levels, l)
	}
	return a
}

func estimate(theory float64, values []float64, confidence float64) Estimate {
	mean, sd := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+confidence)/2) * sd / math.Sqrt(n)
	return Estimate{Theory: theory, Measured: mean, Half: half, OK: math.Abs(mean-theory) <= half}
}
