package arrival

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
)

// Every process is what it says, in the regime of a sweep.
func TestStudyOfEveryProcess(t *testing.T) {
	const seeds = 200
	for _, spec := range []string{"poisson", "gamma:burstiness=0.5", "gamma:burstiness=4", "weibull:burstiness=0.5", "constant",
		"ramp:from=0.5,to=2", "step:at=90s,to=3", "spike:at=60s,for=20s,to=5", "diurnal:period=60s,depth=0.8"} {
		a, err := Parse(spec)
		require.NoError(t, err)
		s := NewStudy(a, 1.4, 180*time.Second, seeds, []uint64{1, 2, 3})
		require.InDelta(t, s.ExpectCount, s.CountMean, 0.6+4*max(s.ExpectCV, 0)*math.Sqrt(252.0/seeds), spec)
		require.Len(t, s.Sweep, 3)
		_, err = json.Marshal(s)
		require.NoError(t, err, "nothing is NaN")
		if a.Constant() {
			require.Zero(t, *s.Rejected)
			require.Nil(t, s.Dispersion)
			require.InDelta(t, 0, s.CV, 1e-6)
			continue
		}
		rejected := math.Round(*s.Rejected * seeds)
		require.Greater(t, 1-distuv.Binomial{N: seeds, P: 0.05}.CDF(rejected-1), 1e-4, "%s rejects %g", spec, rejected)
		require.InDelta(t, 0.5, *s.MedianP, 0.14, spec)
		require.InDelta(t, 1, *s.Dispersion, 0.06, spec)
		require.InDelta(t, s.ExpectCV, s.CV, 0.04*(1+s.ExpectCV*s.ExpectCV), spec)
		require.InDelta(t, 0, *s.Lag1, 0.03, spec)
		require.InEpsilon(t, *s.ExpectSD, s.CountSD, 0.25, spec)
		for _, place := range s.Sweep {
			require.GreaterOrEqual(t, *place.Percentile, 0.0)
			require.LessOrEqual(t, *place.Percentile, 100.0)
		}
	}
}

// A process that is not what it says is rejected on nearly every seed.
func TestStudyRejectsAnotherProcess(t *testing.T) {
	gamma, err := Parse("gamma:burstiness=0.5")
	require.NoError(t, err)
	rejected := 0
	for seed := range uint64(100) {
		if FitPoisson(gamma.Times(1.4, seed, 180*time.Second), 1.4, 180*time.Second).P < 0.05 {
			rejected++
		}
	}
	require.Greater(t, rejected, 90)
}
