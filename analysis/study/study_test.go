package study

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// studyCell is a cell of a study whose E2E p50 is given; its TTFT p50 is a tenth of it.
func studyCell(order int, rung string, seed uint64, replicate int, e2e, goodput float64) analysis.CellMetrics {
	m := analysis.CellMetrics{
		Cell:       results.Cell{Key: results.Key{Rung: rung, OfferedRPS: 4, Seed: seed, Replicate: replicate}, Order: order},
		Window:     latency.Window{EndS: 100},
		GoodputRPS: results.Some(goodput),
	}
	m.E2E.P50 = stats.Quantile{N: 400, Value: e2e, Supported: true}
	m.TTFT.P50 = stats.Quantile{N: 400, Value: e2e / 10, Supported: true}
	return m
}

var oneKnob = &results.Study{Base: "prefix", Arms: []results.Arm{{Knob: "max-batch", Value: "8"}}}

// studied is the effect of the one arm on E2E p50, and on goodput.
func studied(t *testing.T, cells ...analysis.CellMetrics) (e2e, goodput Effect) {
	r := Of(analysis.NewSweep(cells, nil), oneKnob)
	require.Len(t, r.Arms, 1)
	for _, e := range r.Arms[0].Effects {
		switch e.Key {
		case analysis.E2EP50.Key:
			e2e = e
		case analysis.Goodput.Key:
			goodput = e
		}
	}
	return e2e, goodput
}

// TestStudyFloorByHand follows the rule with numbers that can be checked on paper.
func TestStudyFloorByHand(t *testing.T) {
	base := func(order int, seed uint64, replicate int, x float64) analysis.CellMetrics {
		return studyCell(order, "prefix", seed, replicate, math.Exp(x), 3)
	}
	// Deviations −0.01, 0, 0.01 on one tape and −0.02, 0.02 on the other: squares 0.001
	// with three degrees of freedom.
	cells := []analysis.CellMetrics{
		base(0, 1, 0, -0.01), base(1, 1, 1, 0), base(2, 1, 2, 0.01), base(3, 2, 0, 0.98), base(4, 2, 1, 1.02),
		studyCell(5, "max-batch=8", 1, 0, math.Exp(0.5), 3), studyCell(6, "max-batch=8", 2, 0, math.Exp(1.3), 3.005),
	}
	e, goodput := studied(t, cells...)
	require.InDelta(t, 0.4, e.Difference, 1e-12, "0.5 on one tape, 0.3 on the other")
	const t3 = 3.182446305 // 97.5% of Student's t with 3 degrees of freedom, from a table
	require.InDelta(t, t3*math.Sqrt(0.001/3*(1+1.0/3+1+1.0/2))/2, e.Floor, 1e-9)
	require.Equal(t, compare.WorseThan, e.Finding)
	require.Equal(t, 0.01, goodput.Floor, "one request in 100 s")
	require.Equal(t, compare.NoDifference, goodput.Finding)

	cells[3].E2E.P50.Value, cells[4].E2E.P50.Value = math.Exp(0.7), math.Exp(1.3)
	e, _ = studied(t, cells...)
	require.InDelta(t, 0.4, e.Difference, 1e-12)
	require.Greater(t, e.Floor, 0.6, "two measurements of one tape differ by more")
	require.Equal(t, compare.NoDifference, e.Finding)
}

func TestStudyTellsWhyItCannotTell(t *testing.T) {
	base := func(order, replicate int, e2e float64) analysis.CellMetrics {
		return studyCell(order, "prefix", 1, replicate, e2e, 3)
	}
	arm := studyCell(5, "max-batch=8", 1, 0, 2, 3)
	e, _ := studied(t, base(0, 0, 1), arm)
	require.Equal(t, "the base was measured once: there is nothing to tell noise by", e.Reason)

	much := studyCell(5, "max-batch=8", 1, 0, 9, 3)
	much.E2E.P50.Censored = true
	e, _ = studied(t, base(0, 0, 1), base(1, 1, 1.001), much)
	require.Equal(t, compare.WorseThan, e.Finding, "more than nine times is worse")
	require.True(t, e.AtLeast)
	bound := arm
	bound.E2E.P50.Censored = true
	e, _ = studied(t, base(0, 0, 1), base(1, 1, 3), bound)
	require.Equal(t, "unanswered requests leave it open", e.Reason)

	void := arm
	void.Invalid = []analysis.Warning{{Code: checks.CodeDispatchLag, Text: "late"}}
	e, _ = studied(t, base(0, 0, 1), base(1, 1, 1), void)
	require.Equal(t, "no cell of the arm is valid", e.Reason)

	other := arm
	other.Cell.Seed = 2
	e, _ = studied(t, base(0, 0, 1), base(1, 1, 1), other)
	require.Equal(t, "the base has no valid cell on the same tape", e.Reason)

	faster := studyCell(8, "max-batch=8", 2, 0, 0.4, 3)
	e, _ = studied(t, base(0, 0, 1), base(1, 1, 1), studyCell(6, "prefix", 2, 0, 1, 3), studyCell(7, "prefix", 2, 1, 1, 3), arm, faster)
	require.Equal(t, "it rises on one tape and falls on another", e.Reason)
	require.Equal(t, compare.CannotTell, e.Finding)
}

// An arm that changes nothing, on a machine without noise, is within it; one that changes
// something is found however little it is.
func TestStudyWithoutNoise(t *testing.T) {
	cells := []analysis.CellMetrics{
		studyCell(0, "prefix", 1, 0, 0.3, 3), studyCell(1, "prefix", 1, 1, 0.3, 3), studyCell(2, "prefix", 1, 2, 0.3, 3),
		studyCell(3, "max-batch=8", 1, 0, 0.3, 3),
	}
	e, goodput := studied(t, cells...)
	require.Equal(t, compare.NoDifference, e.Finding)
	require.Zero(t, e.Difference)
	require.Equal(t, compare.NoDifference, goodput.Finding)
	cells[3] = studyCell(3, "max-batch=8", 1, 0, 0.2999, 3.02)
	e, goodput = studied(t, cells...)
	require.Equal(t, compare.BetterThan, e.Finding)
	require.Equal(t, compare.BetterThan, goodput.Finding)
}

// TestStudyIsCalibrated draws studies with a known effect: without one, about one (with
// more seeds less than one)
// in twenty is called a difference; with one of several times the noise, nearly all are,
// and with the right sign.
func TestStudyIsCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 7))
	const draws = 2000
	for _, tt := range []struct {
		seeds, replicates int
		effect            float64 // in standard deviations of a measurement
		least, most       float64 // share that is found
	}{{1, 3, 0, 0.035, 0.065}, {3, 3, 0, 0, 0.05}, {2, 5, 0, 0, 0.05}, {1, 3, 12, 0.80, 1}, {3, 3, 5, 0.95, 1}} {
		found := 0
		for range draws {
			var cells []analysis.CellMetrics
			for seed := range uint64(tt.seeds) {
				tape := rng.NormFloat64() // makes every cell of the tape slower or faster
				draw := func(rung string, replicate int, effect float64) {
					x := tape + 0.05*(rng.NormFloat64()+effect)
					cells = append(cells, studyCell(len(cells), rung, seed, replicate, math.Exp(x), 3))
				}
				for i := range tt.replicates {
					draw("prefix", i, 0)
				}
				draw("max-batch=8", 0, tt.effect)
			}
			e, _ := studied(t, cells...)
			switch e.Finding {
			case compare.WorseThan:
				found++
			case compare.BetterThan:
				require.Zero(t, tt.effect, "the wrong sign")
				found++
			}
		}
		require.GreaterOrEqual(t, float64(found)/draws, tt.least, "%+v", tt)
		require.LessOrEqual(t, float64(found)/draws, tt.most, "%+v", tt)
	}
}
