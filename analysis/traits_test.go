package analysis_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
)

func TestTraits(t *testing.T) {
	for rung, want := range map[string][5]bool{ // FIFO, static, continuous, admits, promises
		"fifo":         {true, false, false, false, false},
		"static":       {false, true, false, false, false},
		"continuous":   {false, false, true, false, false},
		"prefix":       {false, false, false, false, false},
		"conformal-95": {false, false, false, true, true},
		"vegas":        {false, false, false, true, false},
		"a server":     {false, false, false, false, false},
	} {
		r := analysis.TraitsOf(analysistest.Recorded[rung])
		require.Equal(t, want, [5]bool{r.FIFO(), r.Static(), r.Continuous(), r.Admits(), r.Promises()}, rung)
	}
}

// sweepOf has one cell of each rung.
func sweepOf(rungs ...string) *analysis.Sweep {
	var cells []analysis.CellMetrics
	for i, rung := range rungs {
		m := analysistest.Measured(i, rung, 1, 1, 50, analysistest.P99(1))
		m.Cell.Params = analysistest.Recorded[rung]
		cells = append(cells, m)
	}
	return analysis.NewSweep(cells, rungs)
}

// A study of admission policies has arms beside its ladder. A ladder that ends in one
// policy, whichever it is, has none.
func TestStepsAndArms(t *testing.T) {
	study := sweepOf("continuous", "prefix", "conformal-80", "conformal-95", "vegas", "oracle")
	require.Equal(t, []string{"vegas", "oracle"}, study.Arms())
	require.Equal(t, []analysis.Step{{Below: "continuous", Rung: "prefix"}, {Below: "prefix", Rung: "conformal-80"}, {Below: "prefix", Rung: "conformal-95"}}, study.Steps())
	require.Equal(t, []string{"continuous", "prefix"}, study.Plain())

	one := sweepOf("prefix", "vegas")
	require.Empty(t, one.Arms())
	require.Equal(t, []analysis.Step{{Below: "prefix", Rung: "vegas"}}, one.Steps())

	above := sweepOf("prefix", "conformal-95", "continuous")
	require.Equal(t, []analysis.Step{{Below: "prefix", Rung: "conformal-95"}, {Below: "prefix", Rung: "continuous"}}, above.Steps())
}
