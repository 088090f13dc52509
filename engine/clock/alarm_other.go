//go:build !linux

package clock

import "time"

// fineAlarm never rings: here Go's own timers are fine enough.
type fineAlarm struct{ rings chan struct{} }

func newFineAlarm() (*fineAlarm, error) { return &fineAlarm{}, nil }

func (*fineAlarm) set(at, away time.Duration) {}
func (*fineAlarm) rang()                      {}
func (*fineAlarm) close()                     {}
