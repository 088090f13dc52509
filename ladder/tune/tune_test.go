package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
	"github.com/cadence-bench/cadence-bench/results/calibration"
)

// TestPointsFillTheSpace: every cell of a grid has a point, with so few points that of as
// many random ones some cell would have none.
func TestPointsFillTheSpace(t *testing.T) {
	for _, c := range []struct{ d, side, n int }{{1, 16, 32}, {2, 4, 32}, {3, 3, 108}} {
		s := space{params: make([]admission.Param, c.d), low: make([]float64, c.d), high: slices.Repeat([]float64{1}, c.d)}
		cells := map[string]bool{}
		for _, p := range s.points(c.n) {
			cell := ""
			for _, u := range p {
				require.True(t, u >= 0 && u < 1)
				cell += fmt.Sprint(int(u*float64(c.side)), " ")
			}
			cells[cell] = true
		}
		require.Len(t, cells, int(math.Pow(float64(c.side), float64(c.d))), "%+v", c)
	}
}

func TestValueAt(t *testing.T) {
	for _, c := range []struct {
		r    admission.Range
		u, x float64
	}{
		{admission.Range{Low: 1, High: 100}, 0.5, 10}, // in ratio
		{admission.Range{Low: 0, High: 4}, 0.25, 1},   // a range from 0 cannot be
		{admission.Range{Low: 1, High: 24, Whole: true}, 0.5, 5},
		{admission.Range{Low: 1, High: 24, Whole: true}, 1, 24},
		{admission.Range{Low: 1, High: 1e4}, 1.0 / 3, 21.5}, // to three digits
		{admission.Range{Low: 1234, High: 5000}, 0, 1234},   // but not out of the range
	} {
		require.Equal(t, c.x, valueAt(c.r, c.u), "%+v", c)
	}
}

func TestAround(t *testing.T) {
	s := space{params: make([]admission.Param, 3)}
	near := s.around([]float64{0.5, 0.05, 1}, 0.2)
	for i, want := range [][2]float64{{0.4, 0.6}, {0, 0.2}, {0.8, 1}} {
		require.InDelta(t, want[0], near.low[i], 1e-12)
		require.InDelta(t, want[1], near.high[i], 1e-12)
	}
}

// TestEveryArmIsSearched: every policy of the arms has something to search but those
// that have no parameters.
func TestEveryArmIsSearched(t *testing.T) {
	l, err := spec.Open("arms")
	require.NoError(t, err)
	for _, r := range l.Rungs[1:] {
		require.NotEmpty(t, spaceOf(r.Admission.Policy).params, r.Name)
	}
}

func TestKnee(t *testing.T) {
	cell := func(good int) []Cell {
		return []Cell{{Arrivals: 50, Good: good - 40, Seconds: 10}, {Arrivals: 50, Good: 40, Seconds: 10}}
	}
	at := map[float64][]Cell{1: cell(88), 2: cell(90), 3: cell(70), 4: cell(80), 5: cell(50)}
	for share, knee := range map[float64]float64{
		0.5: 5, 0.51: 4, 0.75: 4, // of 3 and 4 together 75%
		0.76: 2, 0.89: 2, // of 1 and 2 together 89%
		0.9: 0,
	} {
		require.Equal(t, knee, Knee(at, share), "%g", share)
	}
	require.Equal(t, []float64{0.6, 0.6, 0.6, 0.1}, falling([]Cell{
		{Good: 5, Arrivals: 10}, {Good: 4, Arrivals: 10}, {Good: 27, Arrivals: 40}, {Good: 1, Arrivals: 10},
	}), "weighed by the arrivals")
}

func TestObjective(t *testing.T) {
	at := map[float64][]Cell{
		1: {{Admitted: 10, Good: 10, Seconds: 10}, {Admitted: 10, Good: 10, Seconds: 10}},
		2: {{Admitted: 10, Good: 10, Seconds: 10}, {Admitted: 30, Good: 20, Seconds: 10}},
	}
	require.Equal(t, 50.0/40, objective(at, 0))
	require.Equal(t, 50.0/40, objective(at, 0.75))
	require.Equal(t, -0.25, objective(at, 0.76))
	at[3] = []Cell{{Seconds: 10}}
	require.Equal(t, -1.0, objective(at, 0.01), "a policy that takes nobody keeps no promise")
}

// TestCount: what was dropped before its start was admitted, and what was refused was
// not.
func TestCount(t *testing.T) {
	const sec = time.Second
	done := func(intended, e2e time.Duration) results.Record {
		return results.Record{Intended: intended, Outcome: results.Completed, Ended: results.Some(intended + e2e)}
	}
	shed := func(admitted bool) results.Record {
		return results.Record{Intended: 5 * sec, Outcome: results.Shed, Admission: results.Some(results.Admission{Admitted: admitted})}
	}
	c := count(results.Cell{DurationS: 10, WarmupS: 2, SLOS: 1.5, TimeoutS: 8}, []results.Record{
		done(sec, sec), // in the warm-up
		done(2*sec, 1500*time.Millisecond), done(3*sec, 1501*time.Millisecond),
		shed(true), shed(false),
		{Intended: 6 * sec, Outcome: results.TimedOut, Ended: results.Some(6*sec + 8*sec)},
	})
	require.Equal(t, Cell{Arrivals: 5, Admitted: 4, Good: 1, Seconds: 8}, c)
}

// bench is a bench on this build's calibration, with a short load.
func bench(t *testing.T) *Bench {
	c, id, err := calibration.Default()
	require.NoError(t, err)
	m, err := sim.New(sim.Config{Calibration: c, ID: id, Setting: c.Chosen.Setting})
	require.NoError(t, err)
	cfg := ladder.Config{
		NumRates: 4, Workload: "uniform", Stop: cell.StopScripted, Duration: 12 * time.Second, Warmup: 2 * time.Second,
		Timeout: 20 * time.Second, SLO: 2 * time.Second,
	}
	return &Bench{Machine: m, Workers: 2, Config: cfg, Now: func() time.Time { return time.Unix(0, 0) }}
}

// TestTuneFindsACap: under overload a cap that is far too high is tuned to one that
// serves, the same one every time, and what was given stays where it is not searched.
func TestTuneFindsACap(t *testing.T) {
	l, err := spec.Open("arms")
	require.NoError(t, err)
	arms := []spec.Rung{l.Rungs[2], l.Rungs[6]}
	require.Equal(t, "inflight-cap", arms[0].Name)
	require.Equal(t, "gradient2", arms[1].Name)
	arms[0].Admission.Params = map[string]float64{"limit": 500}
	arms[1].Admission.Params = map[string]float64{"smoothing": 0.5}
	b, budget := bench(t), Budget{Tries: 8, Rates: []float64{20}, Seeds: []uint64{101}}
	found, err := b.Tune(context.Background(), arms, budget)
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Less(t, found[0].Default, 0.5*found[0].Best)
	require.Less(t, found[0].Rung.Admission.Params["limit"], 100.0)
	require.Equal(t, "inflight-cap", found[0].Rung.Name)
	require.Equal(t, 0.5, found[1].Rung.Admission.Params["smoothing"])
	require.GreaterOrEqual(t, found[1].Best, found[1].Default)

	table, _, err := b.Measure(context.Background(), []spec.Rung{found[0].Rung}, budget.Rates, budget.Seeds)
	require.NoError(t, err)
	require.Equal(t, found[0].Best, Sum(table["inflight-cap"][20]).Goodput(), "measured again it is the same")

	again, err := b.Tune(context.Background(), arms, budget)
	require.NoError(t, err)
	require.Equal(t, found, again)

	budget.Tries = 1
	_, err = b.Tune(context.Background(), arms, budget)
	require.ErrorContains(t, err, "too few")
}
