package analysis

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// beside makes cells before which the idle engine decoded so many tokens per second.
func beside(speeds ...float64) []CellMetrics {
	var cells []CellMetrics
	for i, v := range speeds {
		c := CellMetrics{Cell: results.Cell{Order: i, StartedAt: time.Unix(int64(i+1), 0), Params: map[string]string{"threads": "2"}}}
		c.Cell.ProbeBefore = results.Some(results.Probe{DecodeTokensPerS: v})
		cells = append(cells, c)
	}
	return cells
}

// slow lists the cells that are noted, each with why.
func slow(cells []CellMetrics) map[int]string {
	noted := map[int]string{}
	for _, c := range cells {
		for _, w := range c.Warnings {
			noted[c.Cell.Order] += fmt.Sprint(w.Code, ": ", w.Text)
		}
	}
	return noted
}

// TestSpeedAgainstTheRest: a disturbance that both probes of a cell share is found against
// the run's start, other cells and the calibration, each by itself.
func TestSpeedAgainstTheRest(t *testing.T) {
	calibrated := results.Some(results.Probe{DecodeTokensPerS: 400})
	none := results.Opt[results.Probe]{}
	for name, c := range map[string]struct {
		speeds     []float64
		calibrated results.Opt[results.Probe]
		want       map[int]string
	}{
		"steady":           {[]float64{400, 390, 410, 330}, calibrated, map[int]string{}},
		"faster than ever": {[]float64{400, 500, 410}, calibrated, map[int]string{}},
		"one slow cell": {[]float64{400, 400, 100, 400}, none,
			map[int]string{2: "slow-machine: the idle engine decoded 100 tokens/s before the cell, 75% slower than at the run's start (400), 75% slower than beside the median cell (400)"}},
		"slow from the second on": {[]float64{400, 300, 300, 300}, none, map[int]string{
			1: "slow-machine: the idle engine decoded 300 tokens/s before the cell, 25% slower than at the run's start (400)",
			2: "slow-machine: the idle engine decoded 300 tokens/s before the cell, 25% slower than at the run's start (400)",
			3: "slow-machine: the idle engine decoded 300 tokens/s before the cell, 25% slower than at the run's start (400)"}},
		"slow at its start": {[]float64{100, 400, 400}, none,
			map[int]string{0: "slow-machine: the idle engine decoded 100 tokens/s before the cell, 75% slower than beside the median cell (400)"}},
		"slow all the time": {[]float64{2.7, 2.8}, calibrated, map[int]string{
			0: "slow-machine: the idle engine decoded 2.7 tokens/s before the cell, 99% slower than its calibration says (400)",
			1: "slow-machine: the idle engine decoded 2.8 tokens/s before the cell, 99% slower than its calibration says (400)"}},
		"slow all the time, and nobody knows": {[]float64{2.7, 2.8}, none, map[int]string{}},
	} {
		cells := beside(c.speeds...)
		judgeSpeed(cells, c.calibrated)
		require.Equal(t, c.want, slow(cells), name)
	}

	cells := beside(400, 400, 100)
	cells[2].Cell.Params = map[string]string{"threads": "1"}
	judgeSpeed(cells, calibrated)
	require.Empty(t, slow(cells), "another setting of the engine has another speed")
	cells = beside(400, 100)
	for i := range cells {
		cells[i].Cell.StartedAt = time.Time{}
	}
	judgeSpeed(cells, calibrated)
	require.Empty(t, slow(cells), "a simulation")
	cells = beside(400, 100)
	cells[1].Cell.ProbeBefore = results.Opt[results.Probe]{}
	judgeSpeed(cells, none)
	require.Empty(t, slow(cells), "a server has no probe")
}
