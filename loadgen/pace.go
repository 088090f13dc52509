package loadgen

import "time"

// due says what a tape asks for when sent requests have gone out and elapsed has
// passed since the start: how many to send now, and when the next one after them
// is due. more is false when there is none. It depends on the schedule alone, so
// that lateness never shifts a later arrival.
func due(requests []Request, sent int, elapsed time.Duration) (n int, next time.Duration, more bool) {
	for _, r := range requests[sent:] {
		if r.At > elapsed {
			return n, r.At, true
		}
		n++
	}
	return n, 0, false
}
