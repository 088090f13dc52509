package machine

import (
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
)

// slowed is a backend each step of which is made longer by a share of its own duration,
// to prove that a gate sees it. Cells that it served are invalid; see cell.PlantedParam.
type slowed struct {
	engine.Backend
	share float64
	now   func() time.Time
}

// Step implements engine.Backend. It spins: a sleep lasts longer than it was asked to, by
// as much as a tenth of a short step.
func (s *slowed) Step(b *engine.Batch, res *engine.StepResult) error {
	begun := s.now()
	err := s.Backend.Step(b, res)
	ended := s.now()
	more := time.Duration(float64(ended.Sub(begun)) * s.share)
	for until := ended.Add(more); s.now().Before(until); {
	}
	res.Model += more
	return err
}
