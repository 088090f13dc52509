package twin_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// anyCost draws a cost of every term, over three orders of magnitude.
func anyCost(rng *rand.Rand) (c twin.Cost) {
	typical := [...]float64{
		twin.Step: 1e-4, twin.Pass1: 1e-3, twin.Pass2: 2e-3, twin.Pass4: 4e-3, twin.Pass32: 5e-3, twin.Row2: 1e-3, twin.Row4: 3e-4,
		twin.Row32: 2e-4, twin.Output: 2e-4, twin.Stream: 1e-5, twin.AttendDecode: 5e-7, twin.AttendPrefill: 2e-7,
		twin.Copy: 1e-3, twin.CopyCell: 1e-7, twin.Remove: 1e-5, twin.ScanCell: 1e-9,
	}
	for i, s := range typical {
		c.Seconds[i] = s * (0.05 + 2*rng.Float64()*rng.Float64())
	}
	return c
}

// TestLeastIsABound: whatever the rung, the layout and the costs, the engine spent at
// least the sum of Least on what it answered, and no answer was faster than Alone.
func TestLeastIsABound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	tape, prompts := load(t, 6, 15*time.Second)
	nearest := 0.0
	for round := range 24 {
		unified, r, cost := round%2 == 1, rungs[round/2%3], anyCost(rng)
		lim := engine.Limits{Seqs: 72, SeqCells: 1280, Cells: 72 * 1280, Rows: 512, Vocab: runVocab}
		if unified {
			lim.SeqCells = lim.Cells
		}
		b, err := twin.New(twin.Config{Limits: lim, Cost: cost, Unified: unified})
		require.NoError(t, err)
		clk := clock.NewVirtual()
		eng, err := engine.New(clk, b, engine.Config{Policy: r.policy, Cache: engine.CacheConfig{Paged: r.prefix, Prefix: r.prefix, Streams: !unified}})
		require.NoError(t, err)
		to := &target{eng, prompts, make([][]engine.Token, len(prompts))}
		driver, err := loadgen.NewDriver(clk, tape, to, loadgen.DriverConfig{Timeout: 10 * time.Minute, Done: clk.Stop})
		require.NoError(t, err)
		clk.At(0, driver.Start)
		require.NoError(t, clk.Run(t.Context()))
		var sum time.Duration
		for _, rec := range driver.Records() {
			require.Equal(t, results.Completed, rec.Outcome)
			a := twin.Answer{Prompt: len(prompts[rec.Request]), Cached: int(rec.CachedTokens.V), Output: len(rec.Tokens)}
			sum += cost.Least(a, unified)
			alone := cost.Alone(a, unified)
			require.GreaterOrEqual(t, rec.LastToken().V-rec.Intended, alone, "%s, round %d, request %d", r.name, round, rec.Request)
		}
		require.LessOrEqual(t, sum, eng.Stats().Model, "%s, round %d", r.name, round)
		nearest = max(nearest, sum.Seconds()/eng.Stats().Model.Seconds())
	}
	require.Greater(t, nearest, 0.5, "a bound that is never near is of no use")
}
