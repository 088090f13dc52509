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
	// Mean is the wait in wall time. So short a run says little of theory, and its
	// interval is as wide as it says: the witness is Virtual.
	Mean    Estimate `json:"mean"`
	Virtual float64  `json:"virtual"` // mean wait of the same tapes in virtual time
	// DifferenceMean and DifferenceP99 are of |wall − virtual| for each request.
	DifferenceMean float64 `json:"difference_mean_s"`
	DifferenceP99  float64 `json:"difference_p99_s"`
}

// KnownWall runs every queue in wall time. It starts empty and is not long enough to
// forget that; Virtual has the same start.
func KnownWall(ctx context.Context, p WallPlan) ([]WallAnswer, error) {
	make1 := func(q Queue, seed uint64) *replication {
		return newReplication(q, p.Service, seed, int(q.Rate()*p.Length.Seconds()/p.Service.Seconds()))
	}
	var rs []*replication
	for _, q := range Queues() {
		for seed := range uint64(p.Replications) {
			rs = append(rs, make1(q, seed))
		}
	}
	wall, err := run(ctx, clock.NewWall(), rs)
	if err != nil {
		return nil, err
	}
	answers := make([]WallAnswer, len(Queues()))
	for i, q := range Queues() {
		virtual, err := replicate(ctx, p.Replications, func(seed uint64) *replication { return make1(q, seed) })
		if err != nil {
			return nil, err
		}
		answers[i] = p.beside(q, wall[i*p.Replications:(i+1)*p.Replications], virtual)
	}
	return answers, nil
}

func (p WallPlan) beside(q Queue, wall, virtual [][]float64) WallAnswer {
	unit := p.Service.Seconds()
	a := WallAnswer{Queue: q.String(), Load: q.Load}
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
	a.Virtual = unit * stat.Mean(slices.Concat(virtual...), nil)
	a.DifferenceMean = stat.Mean(differences, nil)
	a.DifferenceP99 = stat.Quantile(0.99, stat.Empirical, differences, nil)
	return a
}
