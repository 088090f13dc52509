package ideal

import (
	"context"
	"fmt"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/results"
)

// Selftest is the driver and its records beside queueing theory.
type Selftest struct {
	Build      results.Build `json:"build"`
	Plan       Plan          `json:"plan"`
	Answers    []Answer      `json:"answers"`
	Host       results.Host  `json:"host"` // of the run in wall time
	WallLength float64       `json:"wall_length_s"`
	WallRuns   int           `json:"wall_replications"`
	Wall       []WallAnswer  `json:"wall"`
}

// RunSelftest drives every queue in wall time, unless w has no length, and then in
// virtual time.
func RunSelftest(ctx context.Context, p Plan, w WallPlan) (Selftest, error) {
	t := Selftest{Build: results.BuildInfo(), Plan: p, Host: results.ReadHost(), WallLength: w.Length.Seconds(), WallRuns: w.Replications}
	if p.Replications < 2 || p.Requests < 100 || w.Length < 0 || w.Replications < 2 {
		return t, fault.Input.Errorf("give at least 2 --replications and --wall-replications, 100 --requests, and no negative --wall")
	}
	var err error
	if w.Length > 0 {
		if t.Wall, err = KnownWall(ctx, w); err != nil {
			return t, err
		}
	}
	t.Answers, err = Known(ctx, p)
	return t, err
}

// Verdict is an error when theory is outside of an interval in virtual time. Wall time
// depends on the machine and is not judged.
func (t Selftest) Verdict() error {
	for _, a := range t.Answers {
		if !a.OK() {
			return fmt.Errorf("%s at ρ = %g: theory is outside of an interval", a.Queue, a.Load)
		}
	}
	return nil
}
