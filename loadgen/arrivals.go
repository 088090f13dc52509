package loadgen

import (
	"math"
	"time"
)

// Poisson returns the arrival times in [0, d) of a Poisson process of rps
// arrivals per second: exponential gaps by inversion, from the seed's "arrivals"
// stream.
//
// The gaps are drawn at the rate 1/s, kept as whole nanoseconds and divided by
// rps afterwards. So the arrivals of one seed at all rates are views of one
// realisation at different speeds: the i-th arrival at 2/s comes at half the
// time of the i-th at 1/s, and pairing cells across rates is natural. It also
// means that a seed's misfit is the same misfit at every rate, not independent
// evidence.
func Poisson(rps float64, seed uint64, d time.Duration) []time.Duration {
	r := stream(seed, "arrivals")
	expected := rps * d.Seconds()
	at := make([]time.Duration, 0, int(expected+4*math.Sqrt(expected))+1)
	var unit int64 // nanoseconds at rate 1/s
	for {
		unit += int64(math.Round(-math.Log1p(-r.Float64()) * float64(time.Second)))
		t := float64(unit) / rps
		if t >= float64(d) {
			return at
		}
		at = append(at, time.Duration(t))
	}
}
