package riskcontrol

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/conformal"
	"github.com/cadence-bench/cadence-bench/admission/predict"
)

const testSLO = 2 * time.Second

// testKnee is about the rate in requests per second that smallEngine sustains.
const testKnee = 4.5

func controlled(t testing.TB, alpha float64, model func(admission.Env) predict.Predictor, seed uint64) *Policy {
	t.Helper()
	return controlledBy(t, map[string]float64{"alpha": alpha}, model, seed)
}

func controlledBy(t testing.TB, params map[string]float64, model func(admission.Env) predict.Predictor, seed uint64) *Policy {
	t.Helper()
	p, err := controlledKind.Resolve(params)
	require.NoError(t, err)
	env := admission.Env{SLO: testSLO, MaxBatch: 24, StepTokens: 512, Seed: seed}
	return New(p, model(env), conformal.LogRatio, env)
}

func work(e admission.Env) predict.Predictor { return predict.NewWorkModel(e) }

// serve runs a policy under a load of so many times the knee.
func serve(p admission.Policy, load float64, seed uint64, lasts time.Duration) []served {
	at := poisson(rand.New(rand.NewPCG(seed, 9)), load*testKnee, 0, lasts)
	return newWorld(p, testSLO, seed).run(workload(seed, at, testSLO))
}

func (t *tally) rate() float64 { return float64(t.violated) / float64(max(t.promised, 1)) }

func TestPromiseHoldsAtEveryLoad(t *testing.T) {
	const lasts, from = 200 * time.Second, 20 * time.Second
	for _, alpha := range []float64{0.2, 0.05, 0.01} {
		for _, load := range []float64{0.3, 0.8, 1.5, 3, 10} {
			got := sumUp(serve(controlled(t, alpha, work, 1), load, 1, lasts), from, lasts, 200)
			require.LessOrEqual(t, got.rate(), alpha+0.02, "alpha %g load %g", alpha, load)
			require.Greater(t, got.good, 200, "alpha %g load %g: it serves", alpha, load)
			if alpha == 0.01 {
				require.Less(t, got.p99, 1.0, "load %g: p99 over the SLO", load)
			}
		}
	}
}

func TestNothingIsLostBelowSaturation(t *testing.T) {
	const lasts = 300 * time.Second
	for _, load := range []float64{0.3, 0.6} {
		for _, alpha := range []float64{0.2, 0.05, 0.01} {
			open, got := 0, 0
			for seed := range uint64(3) {
				o := sumUp(serve(admission.Base{}, load, seed, lasts), 0, lasts, 200)
				g := sumUp(serve(controlled(t, alpha, work, seed), load, seed, lasts), 0, lasts, 200)
				open, got = open+o.good, got+g.good
			}
			require.GreaterOrEqual(t, float64(got), 0.99*float64(open), "alpha %g load %g", alpha, load)
		}
	}
}

func TestStepOfLoadKeepsEveryWindow(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 9))
		at := poisson(r, testKnee/2, 0, 100*time.Second)
		at = append(at, poisson(r, 10*testKnee, 100*time.Second, 130*time.Second)...)
		all := newWorld(controlled(t, 0.05, work, seed), testSLO, seed).run(workload(seed, at, testSLO))
		require.GreaterOrEqual(t, sumUp(all, 0, 130*time.Second, 200).worst, 0.9, "seed %d", seed)
	}
}

// optimist says 1.7 times too little from some moment on.
type optimist struct {
	*predict.WorkModel
	since time.Duration
	by    float64
	now   time.Duration
}

func (o *optimist) factor() float64 {
	if o.now < o.since {
		return 1
	}
	return o.by
}

func (o *optimist) Predict(r *admission.Request, s *admission.Snapshot, p *predict.Prediction) bool {
	o.now = s.Now
	ok := o.WorkModel.Predict(r, s, p)
	for k := range p.N {
		p.E2E[k] /= o.factor()
	}
	return ok
}

func (o *optimist) Within(r *admission.Request, s *admission.Snapshot, _ float64, p *predict.Prediction) (int, float64, bool) {
	return 0, 0, o.Predict(r, s, p)
}

func (o *optimist) Exposure(s *admission.Snapshot, margins []float64, most int) (int, float64, float64) {
	var m [8]float64
	for i := range margins {
		m[i] = margins[i] / o.factor()
	}
	return o.WorkModel.Exposure(s, m[:len(margins)], most)
}

func TestOptimisticPredictorRecovers(t *testing.T) {
	const since, lasts = 100 * time.Second, 250 * time.Second
	p := controlled(t, 0.05, func(e admission.Env) predict.Predictor {
		return &optimist{WorkModel: predict.NewWorkModel(e), since: since, by: 1.7}
	}, 3)
	var after []bool
	for _, q := range serve(p, 3, 3, lasts) {
		if q.Arrived >= since && q.decision.Admit && !q.decision.Forced {
			after = append(after, q.violated)
		}
	}
	late := 0
	for _, v := range after[300:] {
		late += int(boolean(v))
	}
	require.Greater(t, len(after), 600)
	require.LessOrEqual(t, float64(late)/float64(len(after)-300), 0.07)
}

// lottery knows nothing, and says so in numbers.
type lottery struct{ r *rand.Rand }

func (l *lottery) Predict(_ *admission.Request, _ *admission.Snapshot, p *predict.Prediction) bool {
	p.Point(math.Exp(l.r.NormFloat64()), 1)
	return true
}
func (l *lottery) Stepped(admission.Step)                        {}
func (l *lottery) Learn(*admission.Outcome, *predict.Prediction) {}

func TestPromiseHoldsWithUselessPredictors(t *testing.T) {
	const lasts = 400 * time.Second
	for name, model := range map[string]func(admission.Env) predict.Predictor{
		"lottery":    func(admission.Env) predict.Predictor { return &lottery{rand.New(rand.NewPCG(5, 5))} },
		"quantile":   func(e admission.Env) predict.Predictor { return predict.NewConstant(e) },
		"arithmetic": func(e admission.Env) predict.Predictor { return predict.NewArithmetic(e) },
	} {
		for _, alpha := range []float64{0.2, 0.05} {
			for _, load := range []float64{0.8, 3} {
				got := sumUp(serve(controlled(t, alpha, model, 4), load, 4, lasts), 40*time.Second, lasts, 200)
				require.LessOrEqual(t, got.rate(), alpha+0.03, "%s alpha %g load %g", name, alpha, load)
				require.NotZero(t, got.good)
			}
		}
	}
}

func TestNothingKnownYetIsNoReasonToRefuse(t *testing.T) {
	p := controlled(t, 0.01, work, 1)
	s := &admission.Snapshot{MaxBatch: 24, StepTokens: 512}
	d := p.Decide(&admission.Request{ID: 1, Prompt: 500, MaxTokens: 100, Deadline: testSLO}, s)
	require.True(t, d.Admit)
	require.Equal(t, admission.Uncalibrated, d.Reason)
	require.False(t, d.Forced)
	require.False(t, d.HasChance)
}

func TestStartsAsIfOneHadBeenLate(t *testing.T) {
	for _, alpha := range []float64{0.2, 0.05, 0.01} {
		p := controlled(t, alpha, work, 1)
		need := p.main.Threshold()
		require.Greater(t, need, p.main.Min)
		p.main.Theta = p.main.Min
		p.main.Label(1)
		require.InDelta(t, p.main.Theta, need, 0.02, "alpha %g", alpha)
	}
}

// pessimist is sure that nothing fits.
type pessimist struct{ lottery }

func (*pessimist) Predict(_ *admission.Request, _ *admission.Snapshot, p *predict.Prediction) bool {
	p.Point(1e6, 1)
	return true
}

func TestPolicyStaysAliveWithoutCalibration(t *testing.T) {
	const lasts = 60 * time.Second
	p := controlled(t, 0.05, func(admission.Env) predict.Predictor { return &pessimist{} }, 6)
	var last time.Duration
	for _, q := range serve(p, 1, 6, lasts) {
		if q.decision.Admit {
			require.LessOrEqual(t, q.Arrived-last, 2*testSLO, "something is taken every other SLO at least")
			last = q.Arrived
		}
	}
	require.Greater(t, last, lasts-2*testSLO)
}

func infeasible(all []served) (n int) {
	for _, q := range all {
		n += int(boolean(q.decision.Reason == admission.Infeasible))
	}
	return n
}

// audited watches a policy from outside: the mean chance of its arrivals on an idle engine,
// and its labels by whether they count in its promise.
type audited struct {
	*Policy
	arrivals, alone            float64
	forced, labels, violations int
}

func (a *audited) Decide(r *admission.Request, s *admission.Snapshot) admission.Decision {
	var p predict.Prediction
	if a.foreseer.Alone(r, s, &p) {
		a.arrivals++
		a.alone += (a.cal.chance(admission.Empty, &p, (r.Deadline-r.Arrived).Seconds()) - a.alone) / min(a.arrivals, predict.WorkMemory)
	}
	return a.Policy.Decide(r, s)
}

func (a *audited) Labelled(o *admission.Outcome) {
	if f := a.flights[a.find(o.Request.ID)]; f.account == nil {
		a.forced++
	} else {
		a.labels++
		a.violations += int(boolean(o.Violated))
	}
	a.Policy.Labelled(o)
}

func TestInfeasibleSLOIsSaid(t *testing.T) {
	const slo = 150 * time.Millisecond
	p := &audited{Policy: controlled(t, 0.05, work, 7)}
	at := poisson(rand.New(rand.NewPCG(7, 9)), 2, 0, 200*time.Second)
	all := newWorld(p, slo, 7).run(workload(7, at, slo))
	require.Less(t, p.alone, 0.8)
	require.Greater(t, infeasible(all), 20)
	for _, q := range all {
		if q.decision.Reason == admission.Infeasible {
			require.False(t, q.decision.Admit)
		}
	}
}

func TestFeasibleSLOIsNotCalledInfeasible(t *testing.T) {
	p := &audited{Policy: controlled(t, 0.05, work, 8)}
	all := serve(p, 1.5, 8, 60*time.Second)
	require.Zero(t, infeasible(all))
	require.Greater(t, p.alone, 0.93)
}

func TestForcedRequestsAreKeptOutOfTheAccount(t *testing.T) {
	p := &audited{Policy: controlled(t, 0.05, work, 9)}
	all := serve(p, 10, 9, 100*time.Second)
	forced, promised, late := 0, 0, 0
	for _, q := range all {
		switch {
		case !q.decision.Admit:
		case q.decision.Forced:
			forced++
			require.Contains(t, []admission.Reason{admission.Explore, admission.Alive}, q.decision.Reason)
			require.Greater(t, q.decision.Propensity, 0.0)
		default:
			promised++
			late += int(boolean(q.violated))
			require.Equal(t, 1.0, q.decision.Propensity)
		}
	}
	require.NotZero(t, forced)
	require.Equal(t, forced, p.forced)
	require.Equal(t, promised, p.labels)
	require.Equal(t, late, p.violations)
}
