package fit

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cadence-bench/cadence-bench/admission/predict"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/record"
)

// block makes the decisions of a server that answers one request after the other, in
// time that is in proportion to the answer's limit and a draw of the block's own.
func block(rate float64, seed uint64, n int) record.Block {
	r := rand.New(rand.NewPCG(seed, uint64(rate*1000)))
	b := record.Block{Rate: rate, Seed: seed}
	slow := math.Exp(0.2 * r.NormFloat64()) // shared by the block's requests
	now, free := 0.0, 0.0
	var open []int
	for i := range n {
		now += r.ExpFloat64() / rate
		q := admission.Request{ID: i, Class: "a", Prompt: 100, MaxTokens: 20 + r.IntN(200), Arrived: at(now), Deadline: at(now + 2)}
		row := record.Row{Request: q, Snapshot: admission.Snapshot{Now: at(now), MaxBatch: 4, StepTokens: 512, FreeKV: 1, StepTime: 10 * time.Millisecond}}
		var still []int
		for _, j := range open {
			if b.Rows[j].Outcome.At > at(now) {
				still = append(still, j)
				w := admission.Work{Prefill: 10, MaxTokens: b.Rows[j].Request.MaxTokens}
				if len(row.Snapshot.Batch) < 1 {
					row.Snapshot.Batch = append(row.Snapshot.Batch, w)
				} else {
					row.Snapshot.Queue = append(row.Snapshot.Queue, w)
				}
			}
		}
		output := 1 + r.IntN(q.MaxTokens)
		took := slow * 0.002 * float64(output)
		row.Steps = []admission.Step{{Duration: at(0.002 * slow * 10), Decode: 10, Prefill: r.IntN(20), Seqs: 2, Context: 500, At: at(now)}}
		free = max(free, now) + took
		row.Decision = admission.Decision{Admit: true, Regime: row.Snapshot.Regime()}
		row.Ended = true
		row.Outcome = admission.Outcome{Request: q, Decision: row.Decision, At: at(free), Finished: true, Output: output, Started: true}
		b.Rows = append(b.Rows, row)
		open = append(still, i)
	}
	return b
}

func at(s float64) time.Duration { return time.Duration(s * 1e9) }

func blocks(rates []float64, seeds, n int) (all []record.Block) {
	for _, rate := range rates {
		for seed := range seeds {
			all = append(all, block(rate, uint64(seed), n))
		}
	}
	return all
}

// TestFoldsShareNoBlock: each block is tested on once, is never at the same time fitted or
// calibrated on, and neither is one of its seed or rate.
func TestFoldsShareNoBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var all []record.Block
		for range 1 + rng.IntN(40) {
			all = append(all, record.Block{Rate: float64(1 + rng.IntN(5)), Seed: rng.Uint64N(6)})
		}
		for _, by := range []Grouping{BySeed, ByRate, ByBlock} {
			folds, err := Folds(all, by)
			if err != nil {
				require.Less(t, len(groupsOf(all, by)), leastGroups)
				continue
			}
			tested := map[int]int{}
			for _, f := range folds {
				require.NotEmpty(t, f.Fit)
				require.NotEmpty(t, f.Calibrate)
				part := map[int]int{}
				for p, of := range [][]int{f.Fit, f.Calibrate, f.Test} {
					for _, i := range of {
						require.NotContains(t, part, i)
						part[i] = p
					}
				}
				require.Len(t, part, len(all), "every block has its part")
				for i, p := range part {
					for j, q := range part {
						if by == BySeed && all[i].Seed == all[j].Seed || by == ByRate && all[i].Rate == all[j].Rate {
							require.Equal(t, p, q)
						}
					}
				}
				for _, i := range f.Test {
					tested[i]++
				}
			}
			for i := range all {
				require.Equal(t, 1, tested[i])
			}
		}
	}
}

func TestTooFewGroups(t *testing.T) {
	two := blocks([]float64{1, 2}, 1, 5)
	_, err := Folds(two, BySeed)
	require.ErrorContains(t, err, "there are 1 of a different seed to hold out: at least 3 are needed")
	_, _, err = Halves(two, BySeed)
	require.ErrorContains(t, err, "there is 1 of a different seed")
	require.Equal(t, ByBlock, Finest(two))
	_, err = Learn(two)
	require.ErrorIs(t, err, ErrFew)
	require.ErrorContains(t, err, "10 requests finished in the runs to fit on: at least 100 are needed")
}

// TestCoverageIsWhatWasPromised: blocks are alike but for chance, so bounds that are
// calibrated on some hold on the others, whatever the predictor.
func TestCoverageIsWhatWasPromised(t *testing.T) {
	all := blocks([]float64{3, 6}, 12, 60)
	folds, err := Folds(all, BySeed)
	require.NoError(t, err)
	got, err := Judge(all, folds)
	require.NoError(t, err)
	require.Len(t, got, len(Subjects())*len(Levels())*(1+admission.Regimes))
	width := map[string]float64{}
	for _, j := range got {
		if j.Regime != "all" {
			continue
		}
		require.Equal(t, 12*2*60, j.Requests+j.Unbounded, j.Subject)
		require.Less(t, j.Unbounded, 60, "%s at %v", j.Subject, j.Level)
		slack := 0.05
		if j.Subject == "static-conformal" {
			slack = 0.08 // regimes share one bound
		}
		require.InDelta(t, j.Level, j.Coverage.V, slack, "%s at %v", j.Subject, j.Level)
		require.LessOrEqual(t, j.Low.V, j.Coverage.V)
		require.GreaterOrEqual(t, j.High.V, j.Coverage.V)
		require.Positive(t, j.Pinball.V)
		if j.Level == 0.9 {
			width[j.Subject] = j.Width.V
		}
	}
	require.Greater(t, width["quantile"], width["gbm"], "a predictor that knows nothing pays in width")
}

func TestTooFewScoresPromiseNothing(t *testing.T) {
	s := Subjects()[0]
	x := sample{regime: admission.Queued, actual: 1}
	x.pred.N, x.pred.E2E[0], x.pred.Weight[0], x.pred.Spread = 1, 1, 1, 1
	cal := make([]sample, 50)
	for i := range cal {
		cal[i] = x
	}
	v := s.verdicts(cal, []sample{x}, 0.99)
	require.True(t, math.IsInf(v[0].bound, 1))
	j := judge(s, 0.99, "all", v)
	require.Equal(t, 1, j.Unbounded)
	require.False(t, j.Coverage.OK)
	v = s.verdicts(cal, []sample{x}, 0.9)
	require.InDelta(t, 1, v[0].bound, 1e-12)
}

// TestMakeKeepsTheQuantiles: what an artifact keeps of many scores has their quantiles.
func TestMakeKeepsTheQuantiles(t *testing.T) {
	all := blocks([]float64{3, 6}, 6, 60)
	fitOn, calibrateOn, err := Halves(all, BySeed)
	require.NoError(t, err)
	require.Len(t, append(fitOn, calibrateOn...), len(all))
	f, err := Make(all, fitOn, calibrateOn)
	require.NoError(t, err)
	require.NoError(t, predict.Check(f))
	require.Len(t, f.Scores, len(Subjects()))
	again, err := Make(all, fitOn, calibrateOn)
	require.NoError(t, err)
	require.Equal(t, f, again)

	rng := rand.New(rand.NewPCG(3, 1))
	many := make([]float64, 5000)
	for i := range many {
		many[i] = rng.NormFloat64()
	}
	few := thin(many)
	require.Len(t, few, keptScores)
	below := 0
	for _, x := range few {
		if x <= 1.2816 { // the 90% quantile
			below++
		}
	}
	require.InDelta(t, 0.9, float64(below)/keptScores, 0.015)
	require.ElementsMatch(t, []float64{3, 1, 2}, thin([]float64{1, 2, 3}))
}
