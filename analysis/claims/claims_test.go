package claims

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/analysis/promise"
	"github.com/cadence-bench/cadence-bench/results"
)

func claim(t *testing.T, s *analysis.Sweep, key string) Claim {
	t.Helper()
	for _, c := range Of(s) {
		if c.Key == key {
			return c
		}
	}
	require.Fail(t, "no claim "+key)
	return Claim{}
}

// faster is a ladder each of whose rungs is half again as fast as the one below.
func faster(seeds int) *analysis.Sweep {
	return analysistest.Ladder(analysis.Options{}, []string{"fifo", "static", "continuous"},
		[]analysistest.Server{{Service: 150 * time.Millisecond}, {Service: 100 * time.Millisecond}, {Service: 67 * time.Millisecond}}, []float64{2, 4, 6, 9, 14, 20}, seeds)
}

func TestClaimsOfALadder(t *testing.T) {
	s := faster(3)
	rises := claim(t, s, "a")
	require.Equal(t, Holds, rises.Verdict)
	require.Len(t, rises.Evidence, 2)
	for _, e := range rises.Evidence {
		require.InDelta(t, 1.5, e.Value, 0.25)
		require.Less(t, e.Lo, e.Value)
		require.Greater(t, e.Lo, 1.0)
	}
	require.Equal(t, Holds, claim(t, s, "b").Verdict, "nobody gives up, so all complete everywhere")
	require.Equal(t, DoesNotHold, claim(t, s, "c").Verdict, "its tokens come sooner")
	require.Equal(t, DoesNotHold, claim(t, s, "d").Verdict)
	require.Equal(t, Holds, claim(t, s, "e").Verdict)

	one := faster(1)
	for _, c := range Of(one) {
		require.Equal(t, Open, c.Verdict, c.Key)
		require.Equal(t, oneSeed, c.Reason)
	}
}

func TestClaimsTurnedRound(t *testing.T) {
	s := analysistest.Ladder(analysis.Options{}, []string{"fifo", "static", "continuous"},
		[]analysistest.Server{{Service: 67 * time.Millisecond}, {Service: 100 * time.Millisecond}, {Service: 300 * time.Millisecond, Patience: 2e9}}, []float64{2, 4, 6, 9, 14, 20}, 3)
	require.Equal(t, DoesNotHold, claim(t, s, "a").Verdict)
	b := claim(t, s, "b")
	require.Equal(t, Withdrawn, b.Verdict, "the last one loses what is given up")
	require.Contains(t, b.Reason, "clients give up after 2 s here")
	require.Equal(t, Holds, claim(t, s, "c").Verdict)
	require.Equal(t, Holds, claim(t, s, "d").Verdict)
}

func TestClaimsOfAdmission(t *testing.T) {
	s := analysistest.Ladder(analysis.Options{}, []string{"prefix", "conformal-95", "conformal-80"},
		[]analysistest.Server{{Service: 50 * time.Millisecond}, {Service: 50 * time.Millisecond, ShedAbove: 15}, {Service: 50 * time.Millisecond, ShedAbove: 60}}, []float64{5, 10, 18, 30}, 3)
	verdicts := map[string]Verdict{}
	for _, c := range Of(s) {
		verdicts[c.Key+" "+c.Text] = c.Verdict
	}
	require.NotContains(t, verdicts, "f conformal-95 holds the p99 E2E of admitted requests under the SLO at every rate", "it does not promise as much")
	require.Equal(t, Holds, verdicts["g conformal-95 has more goodput at the highest rate than prefix without admission"])
	require.NotContains(t, verdicts, "d Static batching is worse than FIFO at low load", "the run has no such rungs")
	require.NotContains(t, verdicts, "a Goodput rises at each rung", "one rung without admission is no ladder")
	require.NotContains(t, verdicts, "b Throughput cannot tell the rungs apart")
}

func TestTogether(t *testing.T) {
	of := func(vs ...Verdict) (es []Evidence) {
		for _, v := range vs {
			es = append(es, Evidence{Verdict: v})
		}
		return es
	}
	require.Equal(t, Holds, verdictOfAll(of(Holds, Holds)))
	require.Equal(t, Open, verdictOfAll(of(Holds, Open)))
	require.Equal(t, DoesNotHold, verdictOfAll(of(Open, DoesNotHold, Holds)))
	require.Equal(t, Open, verdictOfAll(nil))
}

// TestContrastByHand: seeds are paired, and the interval is Student's.
func TestContrastByHand(t *testing.T) {
	var cells []analysis.CellMetrics
	for i, e2e := range [][2]float64{{1, 2}, {10, 22}, {3, 5.4}} {
		cells = append(cells, analysistest.Measured(2*i, "a", 1, uint64(i), 50, analysistest.P99(e2e[0])), analysistest.Measured(2*i+1, "b", 1, uint64(i), 50, analysistest.P99(e2e[1])))
	}
	s := analysis.NewSweep(cells, nil)
	e := contrastOf("", s.Find("a", 1), s.Find("b", 1), analysis.E2EP99, true)
	logs := []float64{math.Log(2), math.Log(2.2), math.Log(1.8)}
	mean := (logs[0] + logs[1] + logs[2]) / 3
	sd := math.Sqrt(((logs[0]-mean)*(logs[0]-mean) + (logs[1]-mean)*(logs[1]-mean) + (logs[2]-mean)*(logs[2]-mean)) / 2)
	half := 4.302652729911275 * sd / math.Sqrt(3) // t(97.5%, 2)
	require.InDelta(t, math.Exp(mean), e.Value, 1e-9)
	require.InDelta(t, math.Exp(mean-half), e.Lo, 1e-6)
	require.InDelta(t, math.Exp(mean+half), e.Hi, 1e-6)
	e.above(1, analysis.DefaultFloor)
	require.Equal(t, Holds, e.Verdict)

	s.Find("b", 1).Cells[1].E2E.P99 = analysistest.P99Above(22)
	e = contrastOf("", s.Find("a", 1), s.Find("b", 1), analysis.E2EP99, true)
	require.True(t, math.IsInf(e.Hi, 1))
	s.Find("a", 1).Cells[0].E2E.P99 = analysistest.P99Above(1)
	e = contrastOf("", s.Find("a", 1), s.Find("b", 1), analysis.E2EP99, true)
	require.Zero(t, e.Lo)
	e.above(1, analysis.DefaultFloor)
	require.Equal(t, Open, e.Verdict)
}

// What is claimed of admission is set against the engine without any, not against
// another policy, whatever the rungs are called.
func TestClaimsAskThePolicy(t *testing.T) {
	rungs := []string{"prefix", "conformal-95", "oracle"}
	s := analysistest.Ladder(analysis.Options{}, rungs, []analysistest.Server{{Service: 50 * time.Millisecond}, {Service: 50 * time.Millisecond, ShedAbove: 15}, {Service: 50 * time.Millisecond, ShedAbove: 20}}, []float64{5, 18, 30}, 3)
	var texts []string
	for _, c := range Of(s) {
		if c.Key == "f" || c.Key == "g" {
			texts = append(texts, c.Text)
		}
	}
	require.Equal(t, []string{
		"conformal-95 has more goodput at the highest rate than prefix without admission",
	}, texts)
}

// TestClaimsOfPromises: what a rung is held to is what its policy promises, over seeds.
func TestClaimsOfPromises(t *testing.T) {
	s := analysistest.Ladder(analysis.Options{}, []string{"prefix", "conformal-95", "conformal-99"},
		[]analysistest.Server{{Service: 50 * time.Millisecond}, {Service: 50 * time.Millisecond, ShedAbove: 15}, {Service: 50 * time.Millisecond, ShedAbove: 15}}, []float64{5, 10}, 3)
	alpha := map[string]float64{"conformal-95": 0.05, "conformal-99": 0.01}
	promises := func(late map[string]int) {
		for i := range s.Cells {
			c := &s.Cells[i]
			if a, ok := alpha[c.Cell.Rung]; ok {
				c.Promise = results.Some(promise.Outcome{Alpha: results.Some(a), Promised: 1000, Violations: late[c.Cell.Rung]})
			}
		}
	}
	verdicts := func() map[string]Verdict {
		all := map[string]Verdict{}
		for _, c := range Of(s) {
			all[c.Key+strings.SplitN(c.Text, " ", 2)[0]] = c.Verdict
		}
		return all
	}
	promises(map[string]int{"conformal-95": 30, "conformal-99": 0})
	got := verdicts()
	require.Equal(t, Holds, got["hconformal-95:"], "3% of 5%")
	require.Equal(t, Holds, got["hconformal-99:"], "none of 3,000, whose exact interval ends at 0.12%")
	require.Equal(t, DoesNotHold, got["iconformal-95:"], "some were late")
	require.NotContains(t, got, "iconformal-99:")
	require.Equal(t, Holds, got["fconformal-99"])
	require.NotContains(t, got, "fconformal-95")

	promises(map[string]int{"conformal-95": 50, "conformal-99": 20})
	got = verdicts()
	require.Equal(t, Open, got["hconformal-95:"], "5% of 5%")
	require.Equal(t, DoesNotHold, got["hconformal-99:"])

	promises(nil)
	require.Equal(t, Holds, verdicts()["iconformal-95:"])
}
