package cell_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// late is a machine whose clock has run for a while when the load begins, and whose
// tokenizer breaks once the tape is made.
type late struct {
	*celltest.Machine
	broken bool
}

func (m *late) NewClock() clock.Clock {
	clk := clock.NewVirtual()
	clk.At(3*time.Second, clk.Stop)
	if err := clk.Run(context.Background()); err != nil {
		panic(err)
	}
	return clk
}

func (m *late) Encode(system, user string, history ...string) ([]engine.Token, error) {
	if m.broken {
		return nil, errors.New("no tokenizer")
	}
	return m.Machine.Encode(system, user, history...)
}

// setupOf is a cell of a rung of the default ladder.
func setupOf(t *testing.T, m cell.Machine, name string) (cell.Setup, *cell.Tape) {
	t.Helper()
	s := cell.Setup{
		Key: results.Key{Rung: name, OfferedRPS: 4, Seed: 1}, Machine: m,
		Config: cell.Config{
			Workload: loadgen.SharedPrompt, Stop: cell.StopScripted, Duration: 6 * time.Second, Timeout: 8 * time.Second, SLO: time.Second,
		},
	}
	for _, r := range defaultRungs(t) {
		if r.Name == name {
			s.Rung = r
		}
	}
	s.Shape = cell.ShapeFor([]spec.Rung{s.Rung}, 2048)
	tape, err := cell.NewTapes(m).At(&s.Config, 4, 1, true)
	require.NoError(t, err)
	return s, tape
}

// TestTokenisedOnArrival: prompts that are tokenised as they arrive are the same, and a
// request that cannot be tokenised ends when it arrived, on the clock of all others.
func TestTokenisedOnArrival(t *testing.T) {
	m := &late{Machine: &celltest.Machine{Context: 4096}}
	s, tape := setupOf(t, m, "continuous")
	s.NoProbes = true
	before, err := s.Run(t.Context(), tape)
	require.NoError(t, err)
	require.False(t, before.Cell.ProbeBefore.OK || before.Cell.ProbeAfter.OK)
	s.OnArrival = true
	after, err := s.Run(t.Context(), tape)
	require.NoError(t, err)
	require.Equal(t, before.Records, after.Records)

	m.broken = true
	failed, err := s.Run(t.Context(), tape)
	require.NoError(t, err)
	for _, r := range failed.Records {
		require.Equal(t, results.Failed, r.Outcome)
		require.Equal(t, results.Some("no tokenizer"), r.Reason)
		require.Equal(t, results.Some(r.Intended), r.Ended)
	}
}
