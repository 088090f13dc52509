package analysis

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// recorded are the parameters that cells of the built-in rungs record, and of some
// arms, as far as they say what a rung is.
var recorded = map[string]map[string]string{
	"fifo":         {"max_batch": "1", "refill": "false", "prefix_cache": "false"},
	"static":       {"max_batch": "8", "refill": "false", "prefix_cache": "false"},
	"continuous":   {"max_batch": "24", "refill": "true", "prefix_cache": "false"},
	"prefix":       {"max_batch": "24", "refill": "true", "prefix_cache": "true"},
	"conformal-80": {"max_batch": "24", "refill": "true", "prefix_cache": "true", "admission": "conformal", "admission_alpha": "0.2"},
	"conformal-95": {"max_batch": "24", "refill": "true", "prefix_cache": "true", "admission": "conformal", "admission_alpha": "0.05"},
	"vegas":        {"max_batch": "24", "refill": "true", "prefix_cache": "true", "admission": "vegas", "admission_alpha": "3"},
	"oracle":       {"max_batch": "24", "refill": "true", "prefix_cache": "true", "admission": "oracle"},
}

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
		r := traitsOf(recorded[rung])
		require.Equal(t, want, [5]bool{r.FIFO(), r.Static(), r.Continuous(), r.Admits(), r.Promises()}, rung)
	}
}

// sweepOf has one cell of each rung.
func sweepOf(rungs ...string) *Sweep {
	var cells []CellMetrics
	for i, rung := range rungs {
		m := measured(i, rung, 1, 1, 50, p99(1))
		m.Cell.Params = recorded[rung]
		cells = append(cells, m)
	}
	return NewSweep(cells, rungs)
}

// A study of admission policies has arms beside its ladder. A ladder that ends in one
// policy, whichever it is, has none.
func TestStepsAndArms(t *testing.T) {
	study := sweepOf("continuous", "prefix", "conformal-80", "conformal-95", "vegas", "oracle")
	require.Equal(t, []string{"vegas", "oracle"}, study.Arms())
	require.Equal(t, []Step{{"continuous", "prefix"}, {"prefix", "conformal-80"}, {"prefix", "conformal-95"}}, study.Steps())
	require.Equal(t, []string{"continuous", "prefix"}, study.plain())

	one := sweepOf("prefix", "vegas")
	require.Empty(t, one.Arms())
	require.Equal(t, []Step{{"prefix", "vegas"}}, one.Steps())

	above := sweepOf("prefix", "conformal-95", "continuous")
	require.Equal(t, []Step{{"prefix", "conformal-95"}, {"prefix", "continuous"}}, above.Steps())
}

// What is claimed of admission is set against the engine without any, not against
// another policy, whatever the rungs are called.
func TestClaimsAskThePolicy(t *testing.T) {
	rungs := []string{"prefix", "conformal-95", "oracle"}
	s := ladderOf(Options{}, rungs, []server{{service: 50 * ms}, {service: 50 * ms, shedAbove: 15}, {service: 50 * ms, shedAbove: 20}}, []float64{5, 18, 30}, 3)
	var texts []string
	for _, c := range s.Claims() {
		if c.Key == "f" || c.Key == "g" {
			texts = append(texts, c.Text)
		}
	}
	require.Equal(t, []string{
		"conformal-95 holds the p99 E2E of admitted requests under the SLO at every rate",
		"conformal-95 has more goodput at the highest rate than prefix without admission",
	}, texts)
}
