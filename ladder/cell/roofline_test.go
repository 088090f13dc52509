package cell_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestPromptRowsShareEachBeginningOnce holds the count against a set of all beginnings.
func TestPromptRowsShareEachBeginningOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	caching := cell.Setup{}
	caching.Rung.Cache.Prefix = true
	for range 300 {
		tape := &cell.Tape{}
		beginnings, tokens, whole := map[string]bool{}, 0, 0
		for range 1 + rng.IntN(8) {
			prompt := make([]engine.Token, 1+rng.IntN(5))
			for i := range prompt {
				prompt[i] = engine.Token(rng.IntN(2))
			}
			// The last token is computed though another prompt has it.
			if beginnings[fmt.Sprint(prompt)] {
				whole++
			}
			tape.Prompts, tokens = append(tape.Prompts, prompt), tokens+len(prompt)
			for n := range prompt {
				beginnings[fmt.Sprint(prompt[:n+1])] = true
			}
		}
		// A prompt that another one goes on from is a beginning of it, and may have come first.
		got := caching.PromptRows(tape)
		require.Equal(t, tokens, new(cell.Setup).PromptRows(tape))
		require.GreaterOrEqual(t, got, len(beginnings))
		require.LessOrEqual(t, got-whole, len(beginnings), "%v", tape.Prompts)
	}
}

// TestRooflineOfABurst: no cell is faster than its roofline, and the work is counted as the
// engine does it.
func TestRooflineOfABurst(t *testing.T) {
	cfg, err := ladder.Preset("burst")
	require.NoError(t, err)
	m := &celltest.Machine{Context: 4096, Streams: true}
	rungs, err := cfg.Measured()
	require.NoError(t, err)
	tape, err := loadgen.Make(loadgen.Spec{Workload: loadgen.SharedPrompt, RPS: cfg.Rates[0], Seed: 1, Duration: cfg.Duration})
	require.NoError(t, err)
	tokenised, err := cell.NewTapes(m).Tokenise(tape)
	require.NoError(t, err)
	for _, rung := range rungs {
		s, err := cfg.Setup(m, results.Key{Rung: rung.Name, OfferedRPS: cfg.Rates[0], Seed: 1})
		require.NoError(t, err)
		s.Shape.SeqCells = 2048
		r, err := s.Run(t.Context(), tokenised)
		require.NoError(t, err)
		roof := r.Cell.Roofline.V
		require.True(t, r.Cell.Roofline.OK)
		took := time.Duration(r.Cell.EndedS * float64(time.Second))
		require.Less(t, roof.Least(), took, rung.Name)
		require.Greater(t, roof.Least(), took/2, rung.Name)
		require.LessOrEqual(t, int64(roof.PromptRows+roof.DecodeRows), r.Cell.Steps.Rows, rung.Name)
		if !rung.Caches() {
			require.Equal(t, int64(roof.PromptRows+roof.DecodeRows), r.Cell.Steps.Rows, rung.Name)
		}
	}
}
