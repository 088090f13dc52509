package knees

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestKneeOfAServer: one of 10/s keeps up with 8/s and not with 14/s.
func TestKneeOfAServer(t *testing.T) {
	s := analysistest.Ladder(analysis.Options{}, []string{"one", "double"}, []analysistest.Server{{Service: 100 * time.Millisecond}, {Service: 50 * time.Millisecond}}, []float64{3, 5, 8, 14, 28}, 3)
	knees := Of(s)
	require.Len(t, knees, 2)
	one := knees[0]
	require.Equal(t, 8.0, one.Peak.OfferedRPS)
	require.Equal(t, []results.Opt[float64]{results.Some(8.0), results.Some(14.0)}, []results.Opt[float64]{one.StableTo, one.UnstableFrom})
	require.Equal(t, 3, one.Seeds)
	require.LessOrEqual(t, one.PeakLo, 8.0)
	require.GreaterOrEqual(t, one.PeakHi, 8.0)
	require.Less(t, one.PeakHi, 28.0)
	require.LessOrEqual(t, one.GoodputLo, one.Goodput.Mean)
	require.GreaterOrEqual(t, one.GoodputHi, one.Goodput.Mean)
	require.Empty(t, one.Missing())

	require.Equal(t, 14.0, knees[1].Peak.OfferedRPS)
	require.Equal(t, results.Some(14.0), knees[1].StableTo)
	require.Equal(t, results.Some(28.0), knees[1].UnstableFrom)
	require.Equal(t, knees, Of(analysistest.Ladder(analysis.Options{}, []string{"one", "double"}, []analysistest.Server{{Service: 100 * time.Millisecond}, {Service: 50 * time.Millisecond}}, []float64{3, 5, 8, 14, 28}, 3)),
		"the same run gives the same intervals")
}

func TestKneeThatIsNotBracketed(t *testing.T) {
	rungs := []string{"one"}
	below := Of(analysistest.Ladder(analysis.Options{}, rungs, []analysistest.Server{{Service: 100 * time.Millisecond}}, []float64{14, 20}, 2))[0]
	require.Equal(t, map[string][]string{CodeKneeBelow: {"goodput may peak below the lowest rate that was run", "no rate is shown to be stable"}}, below.Missing())

	above := Of(analysistest.Ladder(analysis.Options{}, rungs, []analysistest.Server{{Service: 100 * time.Millisecond}}, []float64{3, 5}, 2))[0]
	require.Equal(t, map[string][]string{CodeKneeAbove: {"goodput may peak above the highest rate that was run", "no rate is shown to be unstable"}}, above.Missing())

	refusing := Of(analysistest.Ladder(analysis.Options{}, rungs, []analysistest.Server{{Service: 100 * time.Millisecond, ShedAbove: 4}}, []float64{3, 5, 30}, 2))[0]
	require.True(t, refusing.Refuses)
	require.Equal(t, map[string][]string{CodeKneeAbove: {"goodput may peak above the highest rate that was run"}}, refusing.Missing(), "it need not become unstable")
}

func TestBracketOfVerdicts(t *testing.T) {
	none := results.Opt[float64]{}
	for name, c := range map[string]struct {
		verdicts         []Stability
		stable, unstable results.Opt[float64]
	}{
		"clear":                 {[]Stability{Stable, Stable, Unstable}, results.Some(2.0), results.Some(3.0)},
		"unclear between":       {[]Stability{Stable, Unclear, Unstable}, results.Some(1.0), results.Some(3.0)},
		"unclear at both ends":  {[]Stability{Unclear, Stable, Unstable, Unclear}, results.Some(2.0), results.Some(3.0)},
		"stable above unstable": {[]Stability{Stable, Unstable, Stable, Unstable}, results.Some(1.0), results.Some(4.0)},
		"nothing is clear":      {[]Stability{Unclear, Unclear}, none, none},
	} {
		var k Knee
		for i, v := range c.verdicts {
			k.Rates = append(k.Rates, Steadiness{OfferedRPS: float64(i + 1), Verdict: v})
		}
		k.bracket()
		require.Equal(t, c.stable, k.StableTo, name)
		require.Equal(t, c.unstable, k.UnstableFrom, name)
	}
}

// TestCircleIsTheNaiveResample: blocks of a circle by prefix sums are the blocks by
// counting.
func TestCircleIsTheNaiveResample(t *testing.T) {
	good := []bool{true, false, false, true, true, false, true}
	k := circleOf(&analysis.CellMetrics{Window: latency.Window{WarmupS: 0, EndS: 1}, Answered: analysis.Answered{Good: good, Block: 3}})
	fast, slow := stats.NewResampler([]string{"x"}), stats.NewResampler([]string{"x"})
	for range 200 {
		n := 0
		for i, times := range slow.Requests(len(good), 3) {
			if good[i] {
				n += int(times)
			}
		}
		require.Equal(t, float64(n), k.draw(fast))
	}
}

// TestPeakIntervalCovers: the interval of the height of the peak holds the goodput that
// many more seeds have at that rate.
func TestPeakIntervalCovers(t *testing.T) {
	truth := 0.0
	const many = 40
	for seed := range uint64(many) {
		m, _ := analysistest.Queued("one", 8, 1000+seed, analysistest.Server{Service: 100 * time.Millisecond}, analysis.Options{})
		truth += m.GoodputRPS.V / many
	}
	covered := 0
	for first := range 20 {
		var cells []analysis.CellMetrics
		for seed := range 3 {
			m, _ := analysistest.Queued("one", 8, uint64(100*first+seed), analysistest.Server{Service: 100 * time.Millisecond}, analysis.Options{})
			m.Invalid = nil
			cells = append(cells, m)
		}
		k := Of(analysis.NewSweep(cells, nil))[0]
		if k.GoodputLo <= truth && truth <= k.GoodputHi {
			covered++
		}
	}
	require.GreaterOrEqual(t, covered, 17)
}

func TestKneeOfNothing(t *testing.T) {
	m, _ := analysistest.Queued("one", 8, 1, analysistest.Server{Service: 100 * time.Millisecond}, analysis.Options{})
	m.Invalid = []analysis.Warning{{Code: checks.CodeRecord, Text: "broken"}}
	k := Of(analysis.NewSweep([]analysis.CellMetrics{m}, nil))[0]
	require.Nil(t, k.Peak)
	require.Empty(t, k.Missing())
	require.False(t, math.IsNaN(k.GoodputLo))
}
