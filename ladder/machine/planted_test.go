package machine

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
)

// still is a backend whose steps take as long as the script's clock says.
type still struct {
	engine.Backend
	step func()
}

func (s still) Step(_ *engine.Batch, res *engine.StepResult) error {
	s.step()
	res.Model = 7 * time.Millisecond
	return errors.New("as the backend said")
}

func TestSlowedStep(t *testing.T) {
	at := time.Unix(0, 0)
	s := slowed{share: 0.1, now: func() time.Time { at = at.Add(time.Microsecond); return at }}
	s.Backend = still{step: func() { at = at.Add(10 * time.Millisecond) }}
	var res engine.StepResult
	require.EqualError(t, s.Step(nil, &res), "as the backend said")
	require.InDelta(t, 11e6, float64(at.Sub(time.Unix(0, 0))), 1e4)
	require.InDelta(t, 8e6, float64(res.Model), 1e4, "the model's time has it too")
}
