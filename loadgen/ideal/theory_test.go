package ideal

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The closed forms for one server: M/M/1 and the mean of Pollaczek and Khinchine.
func TestOneServer(t *testing.T) {
	for _, load := range []float64{0.1, 0.3, 0.5, 0.7, 0.9, 0.95} {
		mm := Queue{1, true, load}.Waits()
		require.InDelta(t, load/(1-load), mm.Mean, 1e-12)
		require.InDelta(t, 1-load*math.Exp(-(1-load)*2), mm.CDF(2), 1e-12)
		require.InDelta(t, max(0, math.Log(load/0.01)/(1-load)), mm.Quantile(0.99), 1e-9)

		md := Queue{1, false, load}.Waits()
		require.InDelta(t, load/(2*(1-load)), md.Mean, 1e-9)
		require.InDelta(t, 1-load, md.CDF(0), 1e-12)
		require.Zero(t, md.Quantile(0.999*(1-load)), "that many do not wait")
	}
}

// Erlang's own formula for M/D/1 (1909), whose terms alternate: good for short waits.
func TestFixedServiceAgainstErlang(t *testing.T) {
	for _, load := range []float64{0.3, 0.7, 0.9} {
		waits := Queue{1, false, load}.Waits()
		for wait := 0.0; wait < 8; wait += 0.13 {
			sum, factorial := 0.0, 1.0
			for k := 0; float64(k) <= wait; k++ {
				if k > 0 {
					factorial *= float64(k)
				}
				x := load * (float64(k) - wait)
				sum += math.Pow(x, float64(k)) / factorial * math.Exp(-x)
			}
			require.InDelta(t, (1-load)*sum, waits.CDF(wait), 1e-9, "ρ=%g t=%g", load, wait)
		}
	}
}

// Erlang C as tabulated: 10 servers under 8 erlang, 0.4092; and 2 servers by hand.
func TestErlangC(t *testing.T) {
	require.InDelta(t, 0.4092, erlangC(10, 8), 5e-5)
	require.InDelta(t, 1.0/3, erlangC(2, 1), 1e-12)
	require.InDelta(t, 0.9, erlangC(1, 0.9), 1e-12)
}

// The mean is the integral of what the CDF leaves, for every kind of queue; more
// servers at equal utilisation wait less, and fixed services less than random ones.
func TestWaitsAreConsistent(t *testing.T) {
	for _, load := range []float64{0.3, 0.7, 0.9} {
		last := math.Inf(1)
		for _, servers := range []int{1, 2, 4, 8} {
			for _, exponential := range []bool{true, false} {
				w := Queue{servers, exponential, load}.Waits()
				mean := 0.0
				const step = 1e-3
				for at := step / 2; at < 120/float64(servers); at += step {
					mean += step * (1 - w.CDF(at))
				}
				require.InEpsilon(t, w.Mean, mean, 1e-3)
				for _, p := range []float64{0.5, 0.9, 0.99, 0.999} {
					at := w.Quantile(p)
					require.GreaterOrEqual(t, w.CDF(at), p-1e-9)
					if at > 0 {
						require.Less(t, w.CDF(at*(1-1e-6)), p)
					}
				}
			}
			fixed, random := Queue{servers, false, load}.Waits().Mean, Queue{servers, true, load}.Waits().Mean
			require.Less(t, fixed, random)
			require.Less(t, random, last)
			last = random
		}
	}
}
