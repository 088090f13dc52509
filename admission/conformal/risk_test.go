package conformal

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRiskAgainstAdversary lets an adversary choose every loss that is let through, and
// hold back the labels of up to so many decisions at once, to tell them together. The mean
// loss is near alpha all the same.
func FuzzRiskAgainstAdversary(f *testing.F) {
	f.Add([]byte{0, 255, 0, 255}, uint8(1), uint8(40), uint8(0))
	f.Add([]byte{255, 255, 255}, uint8(5), uint8(90), uint8(24))
	f.Add([]byte{255, 255, 255}, uint8(4), uint8(19), uint8(23))
	f.Add([]byte{}, uint8(9), uint8(10), uint8(3))
	f.Fuzz(func(t *testing.T, moves []byte, a, e, held uint8) {
		most := int(held % 32)
		r := Risk{Alpha: float64(a%40+1) / 100, Eta: float64(e%100+1) / 200, Min: 0.2, Max: 5}
		r.Theta = 1
		sum, above, labels := 0.0, true, 0
		var open []float64
		for i := range 400 {
			loss := 0.0
			if len(moves) > 0 {
				loss = float64(moves[i%len(moves)]) / 255
			}
			if r.Threshold() >= r.Max { // nothing is let through, so nothing is lost
				loss = 0
			}
			if open = append(open, loss); len(open) <= most {
				continue
			}
			for ; len(open) > 0; open = open[1:] {
				r.Label(open[0])
				sum += open[0]
				labels++
				above = above && r.Theta > r.Min
				require.GreaterOrEqual(t, r.Threshold(), r.Min)
				require.LessOrEqual(t, r.Threshold(), r.Max)
				off := sum/float64(labels) - r.Alpha
				require.LessOrEqual(t, off, slack(&r, labels, most)+1e-9)
				if above {
					require.GreaterOrEqual(t, off, -slack(&r, labels, most)-1e-9)
				}
			}
		}
	})
}

func TestRiskHoldsARateThatDependsOnIt(t *testing.T) {
	// A request is late with probability exp(−θ)/2: the controller must find θ.
	for _, alpha := range []float64{0.2, 0.05, 0.01} {
		rng := rand.New(rand.NewPCG(7, 8))
		r := Risk{Alpha: alpha, Eta: 0.005 / alpha, Min: 0, Max: 6}
		late, n := 0.0, 20000
		for range n {
			loss := 0.0
			if rng.Float64() < math.Exp(-r.Theta)/2 {
				loss = 1
			}
			late += loss
			r.Label(loss)
		}
		require.InDelta(t, alpha, late/float64(n), slack(&r, n, 0))
	}
}

func TestOpenRequestsCountAsExpected(t *testing.T) {
	r := Risk{Alpha: 0.1, Eta: 0.5, Min: 0, Max: 4, Theta: 1}
	require.InDelta(t, 1+0.5*(2-0.1*5), r.With(5, 2), 1e-12)
	require.Equal(t, 1.0, r.Theta, "a question changes nothing")
	require.Equal(t, 4.0, r.With(0, 100))
	require.Equal(t, 0.0, r.With(1000, 0))
}

func TestEnoughThatAreLostCloseTheGate(t *testing.T) {
	for _, alpha := range []float64{0.5, 0.2, 0.05, 0.01} {
		for _, others := range []int{0, 1, 30} {
			r := Risk{Alpha: alpha, Eta: 0.005 / alpha, Min: 0.2, Max: 4, Theta: 0.2}
			n := r.Enough(others)
			require.Equal(t, r.Max, r.With(n+others, float64(n)), "alpha %g", alpha)
			require.Less(t, r.With(n-2+others, float64(n-2)), r.Max, "alpha %g: and few less do not", alpha)
		}
	}
}

func TestAdaptiveLevelFollowsADrift(t *testing.T) {
	// Scores double half-way: a fixed level would miss ever after.
	rng := rand.New(rand.NewPCG(9, 9))
	a := Adaptive{Alpha: 0.1, Gamma: 0.05, Now: 0.1}
	w := NewWindow(200)
	missed := 0
	for i := range 4000 {
		x := rng.ExpFloat64()
		if i >= 2000 {
			x *= 2
		}
		if q, ok := w.Quantile(a.Level(1 / float64(w.Len()+1))); ok {
			a.Update(x > q)
			if x > q {
				missed++
			}
		}
		w.Add(x)
	}
	require.InDelta(t, 0.1, float64(missed)/4000, 0.01)
}

// slack is how far the mean of the losses of so many labels may be from Alpha, with so many
// decisions open besides at most: above it and, while Min is not touched, below.
func slack(r *Risk, labels, open int) float64 {
	return (r.Max - r.Min + r.Eta*float64(1+open)) / (r.Eta * float64(labels))
}

// TestHeldBackLossesAreNotForgotten: 24 losses that are told at once, again and again, are
// paid for. With debt kept for one step beyond Max alone, every second of them was lost.
func TestHeldBackLossesAreNotForgotten(t *testing.T) {
	r := Risk{Alpha: 0.05, Eta: 0.1, Min: 0.05, Max: 4.6, Theta: 1}
	lost, labels := 0, 0
	for labels < 20_000 {
		through := r.Threshold() < r.Max
		for range 24 {
			loss := 0.0
			if through {
				loss = 1
				lost++
			}
			r.Label(loss)
			labels++
		}
	}
	require.LessOrEqual(t, float64(lost)/float64(labels), 0.05+slack(&r, labels, 23))
}
