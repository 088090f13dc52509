package classic

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
)

// arms are the policies to compare with.
var arms = []string{
	"none", "deadline-drop", "inflight-cap", "queued-tokens-cap", "token-bucket", "aimd", "gradient2", "vegas",
	"envoy", "codel", "dagor", "breakwater", "bouncer",
}

// newArm makes a policy in the toy's environment.
func newArm(t testing.TB, name string, params map[string]float64) admission.Policy {
	if name == "none" {
		return admission.Base{}
	}
	all := Kinds()
	i := slices.IndexFunc(all, func(k admission.Kind) bool { return k.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	p, err := all[i].Make(admission.Spec{Policy: name, Params: params}, toyEnv)
	require.NoError(t, err, name)
	return p
}

// TestArmsAtTheEdgeOfTheirRanges: a policy can be made with any parameter at either end
// of its range, and takes the first request of an idle engine.
func TestArmsAtTheEdgeOfTheirRanges(t *testing.T) {
	for _, k := range Kinds() {
		for _, p := range k.Params {
			for _, v := range []float64{p.Min, p.Max} {
				if !slices.Contains(arms, k.Name) {
					continue
				}
				policy := newArm(t, k.Name, map[string]float64{p.Name: v})
				require.True(t, newToy(policy).arrive(time.Second, 50), "%s with %s of %g", k.Name, p.Name, v)
			}
		}
	}
}

// overloaded drives an arm through an overload of ten times what the toy serves.
func overloaded(t testing.TB, name string) *toy {
	e := newToy(newArm(t, name, nil))
	e.poisson(rand.New(rand.NewPCG(1, 1)), 40, time.Minute)
	return e
}

// TestArmsRepeat: the same arrivals and the same seed give the same decisions.
func TestArmsRepeat(t *testing.T) {
	for _, name := range arms {
		a, b := overloaded(t, name), overloaded(t, name)
		require.Equal(t, a.taken, b.taken, name)
		require.Equal(t, a.good, b.good, name)
	}
}

// TestArmsComeBack: whatever an overload has taught a policy, a calm engine serves
// again: some of the first twenty requests, and most of those after.
func TestArmsComeBack(t *testing.T) {
	for _, name := range arms {
		e := overloaded(t, name)
		e.until(e.now + time.Hour)
		count := func(n int) (taken int) {
			for range n {
				if e.arrive(e.now+5*time.Second, 50) {
					taken++
				}
			}
			return taken
		}
		require.Positive(t, count(20), name)
		require.GreaterOrEqual(t, count(100), 90, name)
	}
}

// TestArmsTakeACalmLoad: at a third of what the engine serves, an arm with the defaults
// of its source takes nearly everything. CoDel's and DAGOR's are for networks and for
// waits of milliseconds; the toy's answers take one second.
func TestArmsTakeACalmLoad(t *testing.T) {
	slow := map[string]map[string]float64{
		"codel": {"target": 1, "interval": 2}, "dagor": {"threshold": 1}, "token-bucket": {"rate": 3, "burst": 10},
		"inflight-cap": {"limit": 8},
	}
	for _, name := range arms {
		e := newToy(newArm(t, name, slow[name]))
		e.poisson(rand.New(rand.NewPCG(2, 2)), 1.3, 10*time.Minute)
		require.Greater(t, float64(e.good)/float64(len(e.taken)), 0.97, name)
	}
}

// TestArmsHelpUnderOverload: at ten times what the engine serves, where none of the
// requests that no policy refuses is in time, an arm of its kind serves some. Envoy's
// does not: to refuse nine of ten it needs a success rate of a tenth.
func TestArmsHelpUnderOverload(t *testing.T) {
	require.Less(t, overloaded(t, "none").good, 40)
	fit := map[string]map[string]float64{
		"inflight-cap": {"limit": 8}, "queued-tokens-cap": {"tokens": 1500}, "token-bucket": {"rate": 3.5}, "aimd": {"min": 1},
		"gradient2": {"min": 4, "max": 10}, "vegas": {"max": 10}, "dagor": {"threshold": 0.5, "alpha": 0.5},
		"breakwater": {}, "bouncer": {}, "deadline-drop": {},
	}
	for name, params := range fit {
		e := newToy(newArm(t, name, params))
		e.poisson(rand.New(rand.NewPCG(3, 3)), 40, 5*time.Minute)
		t.Logf("%-18s %.2f in time per second of about 4, %d late, %d of them dropped", name, float64(e.good)/300, e.late, e.dropped)
		require.Greater(t, e.good, 300, name)
	}
}

// TestArmsDoNotAllocate: decisions cost no garbage.
func TestArmsDoNotAllocate(t *testing.T) {
	for _, name := range arms {
		p := overloaded(t, name).policy
		s := &admission.Snapshot{Now: time.Hour, MaxBatch: 4, Queue: make([]admission.Work, 30), Batch: make([]admission.Work, 4)}
		r := &admission.Request{ID: 1, Arrived: time.Hour, Deadline: time.Hour + 4*time.Second, Prompt: 100, MaxTokens: 100}
		o := &admission.Outcome{Request: *r, At: time.Hour + time.Second, Finished: true, Started: true, Output: 50}
		var d admission.Decision
		n := testing.AllocsPerRun(200, func() {
			s.Now += 100 * time.Millisecond
			o.At = s.Now
			d = p.Decide(r, s)
			p.Dequeue(r, &d, s)
			p.Hopeless(r, &s.Batch[0], s)
			p.Stepped(admission.Step{})
			p.Labelled(o)
			p.Ended(o)
		})
		require.Zero(t, n, name)
	}
}
