package loadgen

import "time"

// flow integrates how many requests are outstanding over time.
type flow struct {
	area float64 // request-seconds up to last
	n    int     // outstanding since last
	last time.Duration
}

// change tells that n changed at now, which never decreases.
func (f *flow) change(now time.Duration, by int) {
	f.area += float64(f.n) * (now - f.last).Seconds()
	f.n += by
	f.last = now
}
