package experiment_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/paired"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/ab"
	"github.com/cadence-bench/cadence-bench/ladder/experiment"
)

// measured is an experiment of eight pairs, in which B takes so many seconds for what A
// does in one, and that breaks off at a segment, unless failAt is 0.
func measured(t *testing.T, seconds float64, failAt int) *ab.Run {
	t.Helper()
	n := 0
	r := ab.Runner{
		Dir: filepath.Join(t.TempDir(), "gate"), Now: func() time.Time { return time.Unix(0, 0) }, Begun: func(*ab.Run) {}, Over: func(*ab.Run) {},
		Measure: func(_ context.Context, arm ab.Arm, tape uint64) (ab.Segment, error) {
			if n++; n == failAt {
				return ab.Segment{}, errors.New("the engine died")
			}
			s := ab.Segment{
				Segment: paired.Segment{Tape: string(rune('a' + tape)), Requests: 9, Completed: 9, Prompt: 1300, Output: 288, Answers: "h", Seconds: 1 + float64(n%3)/1000},
				Facts:   ab.Facts{Backend: "script", Library: "l", Model: "m", Threads: "1", Planted: ab.PlantedText(arm.Planted)},
			}
			if arm.Name == "B" {
				s.Seconds *= seconds
			}
			return s, nil
		},
	}
	run, err := r.Run(t.Context(), ab.Manifest{Experiment: ab.Experiment{
		Sides: map[string]ab.Side{"A": {Asked: "a", SHA256: "1"}, "B": {Asked: "b", SHA256: "2"}},
		Arms:  []ab.Arm{{Name: "A", Side: "A"}, {Name: "B", Side: "B"}}, Blocks: 8, Gate: 8, Seed: 1, Tapes: []uint64{1, 2, 3}, Rule: paired.DefaultRule(),
	}})
	require.Equal(t, failAt != 0, err != nil)
	return run
}

// TestVerdicts: how a gate ends, and that every format says it.
func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		run  *ab.Run
		kind fault.Kind
		want string
	}{
		"pass":       {measured(t, 1, 0), fault.Other, ""},
		"regression": {measured(t, 1.2, 0), fault.Regression, "regression: "},
		"a part":     {measured(t, 1, 2+5), fault.Unmeasurable, "2 of 8 blocks are measured"},
	} {
		t.Run(name, func(t *testing.T) {
			r := experiment.Of(c.run)
			err := r.Err()
			require.Equal(t, c.kind, fault.Of(err))
			require.Equal(t, c.want == "", err == nil)
			if err != nil {
				require.ErrorContains(t, err, c.want)
			}
			for _, format := range experiment.Formats {
				data, err := r.Format(format)
				require.NoError(t, err)
				require.NotEmpty(t, data)
				require.Equal(t, format == "json", json.Valid(data))
				if name != "a part" {
					require.Contains(t, string(data), name)
				}
			}
		})
	}
}

// TestCommittedProof: the kept proof is whole, and so ends well whatever it found.
func TestCommittedProof(t *testing.T) {
	run, err := ab.Open(filepath.Join("..", "..", "results", "runs", "gate", "real"))
	require.NoError(t, err)
	r := experiment.Of(run)
	require.NoError(t, r.Err())
	text, err := r.Format("text")
	require.NoError(t, err)
	require.Contains(t, string(text), "A itself (A/A)")
	require.NotEmpty(t, experiment.RuleTable(run.Rule).Rows)
}
