package predict_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/gbm"
	"github.com/cadence-bench/cadence-bench/admission/policies"
	"github.com/cadence-bench/cadence-bench/admission/predict"
	"github.com/cadence-bench/cadence-bench/admission/riskcontrol"
)

// anyEngine draws a request and the engine that it comes to.
func anyEngine(r *rand.Rand) (*admission.Request, *admission.Snapshot) {
	works := func(n int) (all []admission.Work) {
		for range n {
			limit := 16 + r.IntN(500)
			all = append(all, admission.Work{Prefill: r.IntN(600), Context: r.IntN(900), Output: r.IntN(limit), MaxTokens: limit})
		}
		return all
	}
	q := &admission.Request{ID: 1, Class: "shared", Prompt: 500 + r.IntN(100), MaxTokens: 16 + r.IntN(500)}
	q.Cached = r.IntN(q.Prompt)
	s := &admission.Snapshot{
		Now: time.Second, Queue: works(r.IntN(30)), Batch: works(1 + r.IntN(24)), FreeKV: r.Float64(), MaxBatch: 24, StepTokens: 512,
		StepTime: time.Duration(r.IntN(1e8)), TokenRate: r.Float64() * 500,
	}
	q.Arrived, q.Deadline = s.Now, s.Now+2*time.Second
	return q, s
}

// latency is a made-up law by which more of anything takes longer.
func latency(q *admission.Request, s *admission.Snapshot, r *rand.Rand) float64 {
	tokens := float64(q.Fresh())/2 + 0.5*float64(q.MaxTokens)
	for _, w := range slices.Concat(s.Queue, s.Batch) {
		tokens += float64(w.Prefill)/2 + 0.5*float64(w.Left())
	}
	return (0.05 + tokens/2000) * math.Exp(0.3*r.NormFloat64())
}

// pairOf trains a pair on n draws.
func pairOf(t testing.TB, seed uint64, n int) *admission.QuantilePair {
	rng := rand.New(rand.NewPCG(seed, 3))
	var x [][]float64
	var y []float64
	for range n {
		q, s := anyEngine(rng)
		row := make([]float64, predict.NumFeatures)
		predict.FeaturesOf(q, s, row)
		x, y = append(x, row), append(y, math.Log(latency(q, s, rng)))
	}
	pair := &admission.QuantilePair{Features: predict.FeatureNames(), Upper: predict.UpperQuantile}
	for quantile, into := range map[float64]*gbm.Model{0.5: &pair.Median, pair.Upper: &pair.High} {
		p := gbm.Defaults(quantile)
		p.Monotone = predict.FeatureConstraints()
		m, err := gbm.Train(x, y, p)
		require.NoError(t, err)
		*into = *m
	}
	return pair
}

func TestFeaturesAreNamedAndConstrained(t *testing.T) {
	require.Len(t, predict.FeatureNames(), predict.NumFeatures)
	require.Len(t, predict.FeatureConstraints(), predict.NumFeatures)
	seen := map[string]bool{}
	for _, n := range predict.FeatureNames() {
		require.False(t, seen[n], n)
		seen[n] = true
	}
}

func TestBoostedPredictsWhatItWasFittedOn(t *testing.T) {
	b := predict.NewBoosted(admission.Env{Fitted: &admission.Fitted{Boosted: pairOf(t, 1, 3000)}})
	rng := rand.New(rand.NewPCG(2, 3))
	below, high, n := 0, 0, 2000
	var p predict.Prediction
	for range n {
		q, s := anyEngine(rng)
		require.True(t, b.Predict(q, s, &p))
		y := latency(q, s, rng)
		if y <= p.E2E[0] {
			below++
		}
		if y <= riskcontrol.UpperBound(&p, 0) {
			high++
		}
	}
	require.InDelta(t, 0.5, float64(below)/float64(n), 0.04)
	require.InDelta(t, predict.UpperQuantile, float64(high)/float64(n), 0.03)
}

// TestBoostedIsMonotone: a backlog up to 100 times that of the training never makes a
// request faster.
func TestBoostedIsMonotone(t *testing.T) {
	b := predict.NewBoosted(admission.Env{Fitted: &admission.Fitted{Boosted: pairOf(t, 3, 1500)}})
	rng := rand.New(rand.NewPCG(4, 3))
	for range 200 {
		q, s := anyEngine(rng)
		was := 0.0
		base := s.Queue
		for _, times := range []int{1, 2, 5, 20, 100} {
			s.Queue = nil
			for range times {
				s.Queue = append(s.Queue, base...)
			}
			var p predict.Prediction
			require.True(t, b.Predict(q, s, &p))
			require.GreaterOrEqual(t, p.E2E[0], was-1e-9)
			was = p.E2E[0]
		}
	}
}

// TestBoostedCountsTheTimeThatPassed: a decision that comes late is of a request that
// has waited.
func TestBoostedCountsTheTimeThatPassed(t *testing.T) {
	b := predict.NewBoosted(admission.Env{Fitted: &admission.Fitted{Boosted: pairOf(t, 3, 500)}})
	q, s := anyEngine(rand.New(rand.NewPCG(5, 3)))
	var now, later predict.Prediction
	b.Predict(q, s, &now)
	q.Arrived -= time.Second
	b.Predict(q, s, &later)
	require.InDelta(t, now.E2E[0]+1, later.E2E[0], 1e-9)
	require.InDelta(t, now.Spread, later.Spread, 1e-9)
}

func TestBoostedWithoutAFitKnowsNothing(t *testing.T) {
	q, s := anyEngine(rand.New(rand.NewPCG(5, 3)))
	var p predict.Prediction
	require.False(t, predict.NewBoosted(admission.Env{}).Predict(q, s, &p))
	policy, err := policies.New(admission.Spec{Policy: "conformal", Predictor: "gbm"}, admission.Env{SLO: time.Second, MaxBatch: 24, StepTokens: 512})
	require.NoError(t, err)
	d := policy.Decide(q, &admission.Snapshot{Now: s.Now, MaxBatch: 24, StepTokens: 512})
	require.True(t, d.Admit)
	require.Equal(t, admission.Uncalibrated, d.Reason)
}

func TestBoostedDoesNotAllocate(t *testing.T) {
	b := predict.NewBoosted(admission.Env{Fitted: &admission.Fitted{Boosted: pairOf(t, 3, 500)}})
	q, s := anyEngine(rand.New(rand.NewPCG(5, 3)))
	var p predict.Prediction
	require.Zero(t, testing.AllocsPerRun(100, func() { b.Predict(q, s, &p) }))
}

func BenchmarkBoosted(b *testing.B) {
	m := predict.NewBoosted(admission.Env{Fitted: &admission.Fitted{Boosted: pairOf(b, 3, 2000)}})
	q, s := anyEngine(rand.New(rand.NewPCG(5, 3)))
	var p predict.Prediction
	for b.Loop() {
		m.Predict(q, s, &p)
	}
}

// TestStateIsAllThatAPredictorKnows: one that is restored through JSON says what the
// original says, now and after both have learnt more.
func TestStateIsAllThatAPredictorKnows(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	env := admission.Env{SLO: 2 * time.Second, MaxBatch: 24, StepTokens: 512}
	teach := func(all []predict.Predictor, n int) {
		for i := range n {
			st := admission.Step{Prefill: rng.IntN(300), Decode: 1 + rng.IntN(20), Seqs: 8, Context: rng.IntN(8000), Copies: rng.IntN(2)}
			st.Duration = time.Duration(1e6 + 7.5e5*st.Decode + 5e5*st.Prefill + 300*st.Context + 8e5*st.Copies)
			q, _ := anyEngine(rng)
			q.Class = []string{"shared", "unique"}[i%2]
			o := &admission.Outcome{Request: *q, At: q.Arrived + time.Duration(rng.IntN(3e9)), Finished: i%5 > 0, Output: 1 + rng.IntN(q.MaxTokens)}
			for _, p := range all {
				p.Stepped(st)
				p.Learn(o, &predict.Prediction{})
			}
		}
	}
	for _, lessons := range []int{0, 20, 500} {
		work, arithmetic, constant := predict.NewWorkModel(env), predict.NewArithmetic(env), predict.NewConstant(env)
		teach([]predict.Predictor{work, arithmetic, constant}, lessons)
		data, err := json.Marshal(admission.Fitted{Work: work.State(), Arithmetic: arithmetic.State(), Quantile: constant.State()})
		require.NoError(t, err)
		var f admission.Fitted
		require.NoError(t, json.Unmarshal(data, &f))
		require.NoError(t, predict.Check(&f))
		warm := env
		warm.Fitted = &f
		pairs := [][2]predict.Predictor{{work, predict.NewWorkModel(warm)}, {arithmetic, predict.NewArithmetic(warm)}, {constant, predict.NewConstant(warm)}}
		for range 2 {
			for _, pair := range pairs {
				for range 20 {
					q, s := anyEngine(rng)
					var a, b predict.Prediction
					require.Equal(t, pair[0].Predict(q, s, &a), pair[1].Predict(q, s, &b), "%T", pair[0])
					require.InDelta(t, a.Estimate(), b.Estimate(), 1e-9*(1+a.Estimate()), "%T after %d", pair[0], lessons)
				}
			}
			teach([]predict.Predictor{pairs[0][0], pairs[0][1], pairs[1][0], pairs[1][1], pairs[2][0], pairs[2][1]}, 100)
		}
		after, err := json.Marshal(f)
		require.NoError(t, err)
		require.Equal(t, string(data), string(after), "who starts from a fit does not change it")
	}
}

// TestScoresAreRestored: a policy that starts warm promises at once, and by the scores of
// its own predictor, score and level.
func TestScoresAreRestored(t *testing.T) {
	s := admission.FittedScores{Predictor: "gbm", Score: "scaled", Levels: []admission.LevelScores{{Alpha: 0.05}, {Alpha: 0.2}}}
	for i := range 100 {
		for r := range s.Given {
			s.Given[r] = append(s.Given[r], float64(i)/100)
			s.Levels[0].Scores[r] = append(s.Levels[0].Scores[r], float64(i)/100)
		}
	}
	env := admission.Env{SLO: 100 * time.Second, MaxBatch: 24, StepTokens: 512, Fitted: &admission.Fitted{Boosted: pairOf(t, 3, 500), Scores: []admission.FittedScores{s}}}
	q, snap := anyEngine(rand.New(rand.NewPCG(5, 3)))
	q.Deadline = q.Arrived + env.SLO
	var p predict.Prediction
	predict.NewBoosted(env).Predict(q, snap, &p)
	for _, it := range []struct {
		alpha    float64
		promised bool
	}{{0.05, true}, {0.2, false}, {0.1, false}} {
		policy, err := policies.New(admission.Spec{Policy: "conformal", Predictor: "gbm", Params: map[string]float64{"alpha": it.alpha}}, env)
		require.NoError(t, err)
		d := policy.Decide(q, snap)
		require.Equal(t, it.promised, d.Bound > 0, "alpha %v", it.alpha)
		if it.promised { // the 96th of 100 scores
			require.InDelta(t, p.E2E[0]+0.95*p.Spread, d.Bound.Seconds(), 1e-6)
		}
	}
}

func TestStatic(t *testing.T) {
	scores := admission.FittedScores{Predictor: "gbm", Score: riskcontrol.UpperScore, Levels: []admission.LevelScores{{}}}
	for i := range 99 {
		scores.Levels[0].Scores[i%3] = append(scores.Levels[0].Scores[i%3], float64(i)/100)
	}
	env := admission.Env{MaxBatch: 24, StepTokens: 512, Fitted: &admission.Fitted{Boosted: pairOf(t, 3, 500), Scores: []admission.FittedScores{scores}}}
	q, s := anyEngine(rand.New(rand.NewPCG(5, 3)))
	var p predict.Prediction
	predict.NewBoosted(env).Predict(q, s, &p)
	bound := riskcontrol.UpperBound(&p, 0.94) // the 95th of 99
	for _, it := range []struct {
		slo    float64
		env    admission.Env
		alpha  float64
		admit  bool
		reason admission.Reason
	}{
		{bound + 0.01, env, 0.05, true, admission.Fits},
		{bound - 0.01, env, 0.05, false, admission.TooLate},
		{0.001, env, 0.005, true, admission.Uncalibrated}, // 99 scores promise no 99.5%
		{0.001, admission.Env{}, 0.05, true, admission.Uncalibrated},
	} {
		q.Deadline = q.Arrived + admission.Seconds(it.slo)
		d := riskcontrol.NewStatic(it.alpha, it.env).Decide(q, s)
		require.Equal(t, it.admit, d.Admit)
		require.Equal(t, it.reason, d.Reason)
		if !it.admit {
			require.InDelta(t, 0.01, d.RetryAfter.Seconds(), 1e-6)
		}
	}
}

func TestFittedCheck(t *testing.T) {
	good := func() *admission.Fitted {
		env := admission.Env{}
		return &admission.Fitted{Work: predict.NewWorkModel(env).State(), Arithmetic: predict.NewArithmetic(env).State(), Boosted: pairOf(t, 3, 200)}
	}
	require.NoError(t, predict.Check(good()))
	require.NoError(t, predict.Check(&admission.Fitted{}))
	for _, it := range []struct {
		want string
		spot func(*admission.Fitted)
	}{
		{"a cost of 6", func(f *admission.Fitted) { f.Work.Cost.A = f.Work.Cost.A[1:] }},
		{"term 2", func(f *admission.Fitted) { f.Work.Cost.Seconds[2] = -1 }},
		{"lengths of 3", func(f *admission.Fitted) { f.Work.All.Ended = f.Work.All.Ended[:3] }},
		{"9 classes", func(f *admission.Fitted) { f.Work.Classes = make([]admission.LengthState, 9) }},
		{"a rate of -1", func(f *admission.Fitted) { f.Arithmetic.Rate = -1 }},
		{"its features are", func(f *admission.Fitted) { f.Boosted.Features[0] = "phase of the moon" }},
		{"upper quantile", func(f *admission.Fitted) { f.Boosted.Upper = 0.4 }},
		{"leads to no leaf", func(f *admission.Fitted) { f.Boosted.High.Trees[0][0].Left = 0 }},
		{"a model of 3 features", func(f *admission.Fitted) { f.Boosted.Median.Features = 3 }},
	} {
		f := good()
		it.spot(f)
		require.ErrorContains(t, predict.Check(f), it.want)
	}
}
