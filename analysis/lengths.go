package analysis

import "github.com/cadence-bench/cadence-bench/results"

// Lengths compares the answers of the arrivals that completed with those of all that
// were offered, by their scripted length: of one and the same quantity, so that what
// differs is who survived.
type Lengths struct {
	Offered, Completed       int     // arrivals with a scripted length, and of them those that completed
	OfferedSum, CompletedSum float64 // tokens
	OfferedSquares           float64
}

func (l *Lengths) add(r *results.Record) {
	if !r.StopTokens.OK {
		return
	}
	stop := float64(r.StopTokens.V)
	l.Offered++
	l.OfferedSum += stop
	l.OfferedSquares += stop * stop
	if r.Outcome == results.Completed {
		l.Completed++
		l.CompletedSum += stop
	}
}
