package ladder

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFitIdleRecoversALinearEngine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	want := Idle{PrefillS: 0.0005, DecodeS: 0.0025}
	var served []Served
	for range 20 {
		s := Served{Prompt: 400 + rng.IntN(300), Output: 1 + rng.IntN(200)}
		s.TTFT = time.Duration(want.E2E(s.Prompt, 1) * 1e9)
		s.E2E = time.Duration(want.E2E(s.Prompt, s.Output) * 1e9)
		served = append(served, s)
	}
	got, err := fitIdle(served)
	require.NoError(t, err)
	require.InEpsilon(t, want.PrefillS, got.PrefillS, 1e-6)
	require.InEpsilon(t, want.DecodeS, got.DecodeS, 1e-6)

	_, err = fitIdle(served[:0])
	require.ErrorContains(t, err, "give --rates and --slo")
}

func TestSLOLeavesHalfAsMuchAgainTo99In100(t *testing.T) {
	idle := Idle{PrefillS: 0.0005, DecodeS: 0.0025}
	rng := rand.New(rand.NewPCG(1, 2))
	var lengths []Lengths
	for range 1000 {
		lengths = append(lengths, Lengths{500, 1 + rng.IntN(300)})
	}
	slo, met := idle.SLO(lengths), 0
	for _, l := range lengths {
		if sloSlack*idle.E2E(l.Prompt, l.Output) <= slo.Seconds() {
			met++
		}
	}
	require.GreaterOrEqual(t, met, 990)
	require.Less(t, slo.Seconds(), 1.1*sloSlack*idle.E2E(500, 297), "two significant digits cost at most a tenth")
}

func TestRatesBracket(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for range 500 {
		fifo := rng.ExpFloat64() * 10
		top := fifo * (1 + rng.Float64()*5)
		rates := Rates(fifo, top, 5)
		require.InEpsilon(t, 0.5*fifo, rates[0], 0.051)
		require.InEpsilon(t, 1.5*top, rates[len(rates)-1], 0.051)
		require.IsIncreasing(t, rates)
	}
	require.Equal(t, []float64{0.9, 1.3, 1.8, 2.5, 3.6}, Rates(1.8, 2.4, 5))
	require.Equal(t, []float64{3.6}, Rates(1.8, 2.4, 1))
}
