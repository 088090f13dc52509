package calibrate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/cadence-bench/cadence-bench/engine/twin"
)

const (
	// huber is where residuals begin to count less, in standard deviations: 95%
	// efficient on normal ones (Huber, Robust Statistics, 1981).
	huber = 1.345
	// madSigma makes the median absolute deviation of normal values their standard
	// deviation.
	madSigma = 1.4826
	// fitRounds bounds the reweighting; it settles in about ten rounds.
	fitRounds = 40
	settled   = 1e-6
	// smallest scale of the residuals, so that exact rows do not divide by 0.
	exact = 1e-9
)

// Fit fits the cost model to the rows: non-negative least squares on the relative
// error, reweighted by Huber's function until it settles, since the machine's stalls
// only ever make a step longer. It works on rows, not on medians of points, because
// scheduled steps never repeat. The scripted and the scheduled rows weigh the same in
// all. Error is taken relative to the prediction: relative to the measurement, a step
// that happened to be fast would count more than one that was slow.
func Fit(rows []Row) (twin.Cost, error) {
	if len(rows) < twin.NumTerms {
		return twin.Cost{}, fmt.Errorf("calibrate: %d steps are too few to fit %d terms", len(rows), twin.NumTerms)
	}
	cost, err := solve(rows, totals(rows))
	if err != nil {
		return cost, fmt.Errorf("calibrate: fit %d steps: %w", len(rows), err)
	}
	for i := range rows {
		for t, w := range rows[i].Work {
			cost.Most[t] = max(cost.Most[t], w)
		}
	}
	level(&cost, rows)
	cost.Noise = noise(&cost, rows)
	return cost, nil
}

// longest is how many times its prediction a step counts as at most when time is summed
// up: one long stall is no property of the machine.
const longest = 4

// level multiplies the costs so that the scheduled steps take as long in all as they
// did. Stalls are few and long: the fit rightly ignores them when it asks what a row
// costs, but a queue behind the engine waits for them too.
func level(c *twin.Cost, rows []Row) {
	_, scheduled := split(rows)
	var took, predicted float64
	for i := range scheduled {
		p := predict(c, &scheduled[i])
		predicted += p
		took += min(scheduled[i].Total().Seconds(), longest*p)
	}
	if predicted == 0 || took == 0 {
		return
	}
	for t := range c.Seconds {
		c.Seconds[t] *= took / predicted
	}
}

// totals returns how long each row took, in seconds. Scripted ones have no engine
// above them; they get the median of what it took the others.
func totals(rows []Row) []float64 {
	_, scheduled := split(rows)
	loops := make([]float64, len(scheduled))
	for i := range scheduled {
		loops[i] = scheduled[i].Loop.Seconds()
	}
	loop := quantile(loops, 0.5)
	y := make([]float64, len(rows))
	for i := range rows {
		y[i] = rows[i].Total().Seconds()
		if rows[i].Kind != Scheduled {
			y[i] += loop
		}
	}
	return y
}

// solve reweights and solves until the costs settle.
func solve(rows []Row, y []float64) (twin.Cost, error) {
	balance := balanced(rows)
	base := slices.Clone(y) // what errors are relative to
	weight := slices.Clone(balance)
	residuals := make([]float64, len(rows))
	var cost twin.Cost
	for range fitRounds {
		x, err := weighted(rows, y, base, weight)
		if err != nil {
			return cost, err
		}
		change := 0.0
		for t := range x {
			change = max(change, math.Abs(x[t]-cost.Seconds[t])/max(x[t], cost.Seconds[t], math.SmallestNonzeroFloat64))
		}
		copy(cost.Seconds[:], x)
		if change < settled {
			break
		}
		for i := range rows {
			base[i] = max(predict(&cost, &rows[i]), y[i]/10)
			residuals[i] = y[i]/base[i] - 1
		}
		limit := huber * max(exact, madSigma*medianAbs(residuals))
		for i, r := range residuals {
			weight[i] = balance[i] * min(1, limit/math.Abs(r))
		}
	}
	return cost, nil
}

// balanced gives the scripted and the scheduled rows the same weight in all.
func balanced(rows []Row) []float64 {
	scripted, scheduled := split(rows)
	w := make([]float64, len(rows))
	for i := range rows {
		same := scripted
		if rows[i].Kind == Scheduled {
			same = scheduled
		}
		w[i] = float64(len(rows)) / float64(len(same))
	}
	return w
}

// weighted solves for the costs that make Σ weight·((y − predicted)/base)² least. The
// tall problem is first reduced to a triangular one of the same minimum.
func weighted(rows []Row, y, base, weight []float64) ([]float64, error) {
	tall := mat.NewDense(max(len(rows), twin.NumTerms+1), twin.NumTerms+1, nil)
	for i := range rows {
		w := math.Sqrt(weight[i]) / base[i]
		for t, units := range rows[i].Work {
			tall.Set(i, t, w*units)
		}
		tall.Set(i, twin.NumTerms, w*y[i])
	}
	var qr mat.QR
	qr.Factorize(tall)
	var r mat.Dense
	qr.RTo(&r)
	n := twin.NumTerms + 1
	return NNLS(r.Slice(0, n, 0, n-1), mat.Col(nil, n-1, r.Slice(0, n, 0, n)))
}

// predict is what the cost model says of a row, in seconds.
func predict(c *twin.Cost, r *Row) float64 {
	sum := 0.0
	for t, w := range r.Work {
		sum += w * c.Seconds[t]
	}
	return sum
}

// noise describes what is left of the scheduled rows, in their order, or of all if
// there are none.
func noise(c *twin.Cost, rows []Row) twin.Noise {
	if _, scheduled := split(rows); len(scheduled) > 0 {
		rows = scheduled
	}
	y := totals(rows)
	logs := make([]float64, 0, len(rows))
	mean := 0.0
	for i := range rows {
		if p := predict(c, &rows[i]); p > 0 && y[i] > 0 {
			logs = append(logs, math.Log(y[i]/p))
			mean += logs[len(logs)-1]
		}
	}
	mean /= max(1, float64(len(logs)))
	var variance, along float64
	for i, l := range logs {
		variance += (l - mean) * (l - mean)
		if i > 0 {
			along += (l - mean) * (logs[i-1] - mean)
		}
	}
	if variance == 0 {
		return twin.Noise{}
	}
	return twin.Noise{Sigma: math.Sqrt(variance / float64(len(logs))), Rho: along / variance}
}

func medianAbs(values []float64) float64 {
	abs := make([]float64, len(values))
	for i, v := range values {
		abs[i] = math.Abs(v)
	}
	return quantile(abs, 0.5)
}

// quantile is an order statistic of the values, 0 of none. It does not change them.
func quantile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}
