package ideal

import (
	"context"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// WallPlan says how much is run in wall time: every queue and replication at once on
// one loop.
type WallPlan struct {
	Replications int
	Service      time.Duration // mean
	Length       time.Duration // of the arrivals
	Confidence   float64
}

// DefaultWallPlan is 3,800 arrivals a second for half a minute.
func DefaultWallPlan() WallPlan {
	return WallPlan{Replications: 4, Service: 20 * time.Millisecond, Length: 30 * time.Second, Confidence: 0.95}
}

// WallAnswer is one queue in wall time beside the same tapes and services in virtual
// time, which differ by nothing but the driver's lateness. Waits are in seconds.
type WallAnswer struct {
	Queue    string  `json:"queue"`
	Load     float64 `json:"load"`
	Requests int     `json:"requests"`
	// Lag is how long after its intended arrival a request was sent, in the mean. A
	// late request waits from its intended arrival, so that up to Lag of Mean is the
	// driver's: all of it before idle servers, nothing before busy ones.
	Lag float64 `json:"lag_mean_s"`
	// Mean is the wait in wall time; it is OK when theory is in the interval that
	// Lag widens downwards. So short a run says little of theory: the better witness
	// is Virtual.
	Mean    Estimate `json:"mean"`
	Virtual float64  `json:"virtual"` // mean wait of the same tapes in virtual time
	// DifferenceMean and DifferenceP99 are of |wall − virtual| for each request.
	DifferenceMean float64 `json:"difference_mean_s"`
	DifferenceP99  float64 `json:"difference_p99_s"`
}

// KnownWall runs every queue in wall time. It starts empty and is not long enough to
// forget that; Virtual has the same start.
func KnownWall(ctx context.Context, p WallPlan) ([]WallAnswer, error) {
	draw := func(q Queue, seed uint64) *replication {
		return newReplication(q, p.Service, seed, int(q.Rate()*p.Length.Seconds()/p.Service.Seconds()))
	}
	var rs []*replication
	for _, q := range Queues() {
		for seed := range uint64(p.Replications) {
			rs = append(rs, draw(q, seed))
		}
	}
	wall, err := run(ctx, clock.NewWall(), rs)
	if err != nil {
		return nil, err
	}
	answers := make([]WallAnswer, len(Queues()))
	for i, q := range Queues() {
		virtual, err := replicate(ctx, p.Replications, func(seed uint64) *replication { return draw(q, seed) })
		if err != nil {
			return nil, err
		}
		answers[i] = p.beside(q, wall[i*p.Replications:(i+1)*p.Replications], virtual, lag(rs[i*p.Replications:(i+1)*p.Replications]))
	}
	return answers, nil
}

// lag is the mean of sent − intended over replications, in seconds.
func lag(rs []*replication) float64 {
	sum, n := 0.0, 0
	for _, r := range rs {
		for _, rec := range r.driver.Records() {
			sum += (rec.Sent.V - rec.Intended).Seconds()
			n++
		}
	}
	return sum / max(1, float64(n))
}

func (p WallPlan) beside(q Queue, wall, virtual [][]float64, lag float64) WallAnswer {
	unit := p.Service.Seconds()
	a := WallAnswer{Queue: q.String(), Load: q.Load, Lag: lag}
	means, differences := make([]float64, len(wall)), []float64(nil)
	for i := range wall {
		means[i] = unit * stat.Mean(wall[i], nil)
		for k := range wall[i] {
			differences = append(differences, unit*math.Abs(wall[i][k]-virtual[i][k]))
		}
	}
	slices.Sort(differences)
	a.Requests = len(differences)
	a.Mean = estimate(unit*q.Waits().Mean, means, p.Confidence)
	a.Mean.OK = a.Mean.Measured-a.Mean.Half-lag <= a.Mean.Theory && a.Mean.Theory <= a.Mean.Measured+a.Mean.Half
	a.Virtual = unit * stat.Mean(slices.Concat(virtual...), nil)
	a.DifferenceMean = stat.Mean(differences, nil)
	a.DifferenceP99 = stat.Quantile(0.99, stat.Empirical, differences, nil)
	return a
}
