package calibrate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/twin"
)

// simulated runs the script on the twin of a cost.
func simulated(t *testing.T, cost twin.Cost, unified, noisy bool) []Row {
	lim := limits(72, 1280, 512)
	steps, err := Script(lim, Plan{Unified: unified, Rounds: 3, Levels: 4, Seed: 1})
	require.NoError(t, err)
	r := recorder(t, lim, unified, cost, noisy)
	require.NoError(t, Run(context.Background(), r, steps))
	return r.Rows
}

// TestFitRecovers: steps of a known cost give a fit that predicts them exactly. What
// only ever comes together, such as a step and its passes, may be shared out otherwise.
func TestFitRecovers(t *testing.T) {
	for _, unified := range []bool{false, true} {
		want := truth()
		rows := simulated(t, want, unified, false)
		got, err := Fit(rows)
		require.NoError(t, err)
		for i := range rows {
			require.InEpsilon(t, predict(&want, &rows[i]), predict(&got, &rows[i]), 2e-3)
		}
		for _, term := range []twin.Term{twin.Row2, twin.Row4, twin.Row32, twin.AttendDecode, twin.AttendPrefill} {
			require.InEpsilon(t, want.Seconds[term], got.Seconds[term], 0.05, "unified %t: %v", unified, term)
		}
		require.NoError(t, got.Check())
	}
}

// TestFitOutlivesStalls: a machine that stalls in a twentieth of the steps for two to
// twenty times as long hardly moves the fit.
func TestFitOutlivesStalls(t *testing.T) {
	want := truth()
	want.Noise = twin.Noise{Sigma: 0.04}
	rows := simulated(t, want, false, true)
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range rows {
		if rng.IntN(20) == 0 {
			rows[i].Model *= time.Duration(2 + rng.IntN(19))
		}
	}
	got, err := Fit(rows)
	require.NoError(t, err)
	var off []float64
	for i := range rows {
		off = append(off, math.Abs(predict(&got, &rows[i])/predict(&want, &rows[i])-1))
	}
	require.Less(t, quantile(off, 0.5), 0.02)
	require.Less(t, quantile(off, 0.95), 0.05)
}

func TestFitKnowsItsRangeAndNoise(t *testing.T) {
	want := truth()
	want.Noise = twin.Noise{Sigma: 0.1, Rho: 0.6}
	rows := simulated(t, want, false, true)
	got, err := Fit(rows)
	require.NoError(t, err)
	require.InDelta(t, 0.1, got.Noise.Sigma, 0.015)
	require.InDelta(t, 0.6, got.Noise.Rho, 0.1)
	for term := range got.Most {
		most := slices.MaxFunc(rows, func(a, b Row) int { return int(math.Copysign(1, a.Work[term]-b.Work[term])) })
		require.Equal(t, most.Work[term], got.Most[term])
	}
}

func TestFitAddsTheLoop(t *testing.T) {
	rows := simulated(t, truth(), false, false)
	for i := range rows {
		if i%2 == 0 {
			rows[i].Kind, rows[i].Loop = Scheduled, 30*time.Microsecond
		}
	}
	want := truth()
	want.Seconds[twin.Step] += 30e-6
	got, err := Fit(rows)
	require.NoError(t, err)
	for i := range rows {
		require.InEpsilon(t, predict(&want, &rows[i]), predict(&got, &rows[i]), 2e-3)
	}
}

func TestFitRefuses(t *testing.T) {
	_, err := Fit(make([]Row, 3))
	require.ErrorContains(t, err, "3 steps are too few")
}

// TestHoldOut: the error is that of the noise where the model is right, and shows when
// a point's behaviour is not of the model's form. No point is in two parts.
func TestHoldOut(t *testing.T) {
	cost := truth()
	cost.Noise = twin.Noise{Sigma: 0.05}
	rows := simulated(t, cost, false, true)
	h, err := HoldOut(rows, 1)
	require.NoError(t, err)
	require.InDelta(t, 0.67*0.05, h.All.MedianAbsRel, 0.01) // the median of a normal one
	require.InDelta(t, 1.645*0.05, h.All.P90AbsRel, 0.02)
	require.Greater(t, h.All.R2, 0.98)
	require.InDelta(t, 0, h.All.Bias, 0.01)
	require.Equal(t, len(rows), h.All.RowsHeldOut)
	require.Less(t, h.All.RowsFit, len(rows))
	require.Equal(t, h.All, h.Scripted)
	require.Zero(t, h.Scheduled)

	fold, parts := map[string]int{}, map[int]int{}
	for i, f := range foldOf(rows, 1) {
		point := rows[i].point()
		if at, ok := fold[point]; ok {
			require.Equal(t, at, f)
		}
		fold[point] = f
		parts[f]++
	}
	require.Len(t, parts, folds)

	for i := range rows { // every point with a factor of its own: no fit can know it
		rng := rand.New(rand.NewPCG(uint64(len(rows[i].Point)), sum(rows[i].Point)))
		rows[i].Model = time.Duration(float64(rows[i].Model) * math.Exp(0.5*rng.NormFloat64()))
	}
	worse, err := HoldOut(rows, 1)
	require.NoError(t, err)
	require.Greater(t, worse.All.MedianAbsRel, 0.2)
}

func sum(s string) (n uint64) {
	for _, c := range s {
		n = n*31 + uint64(c)
	}
	return n
}

// TestFitKeepsTheTime: where stalls are part of the scheduled steps, the robust fit
// alone would promise more than the machine serves; but a stall of minutes is no part.
func TestFitKeepsTheTime(t *testing.T) {
	rows := simulated(t, truth(), false, false)
	var took float64
	for i := range rows {
		if i%2 == 0 {
			rows[i].Kind = Scheduled
			if i%20 == 0 {
				rows[i].Model *= 2
			}
			took += rows[i].Total().Seconds()
		}
	}
	total := func() (sum float64) {
		got, err := Fit(rows)
		require.NoError(t, err)
		for i := range rows {
			if rows[i].Kind == Scheduled {
				sum += predict(&got, &rows[i])
			}
		}
		return sum
	}
	require.InEpsilon(t, took, total(), 1e-6)
	before := rows[0].Model
	rows[0].Model += 5 * time.Minute
	require.InDelta(t, took, total(), 3*before.Seconds())
}
