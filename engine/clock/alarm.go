package clock

import "time"

// alarm rings after a while. A ring may also be left over from an earlier set: who
// hears it looks at the time.
type alarm interface {
	set(after time.Duration)
	rings() <-chan struct{}
	close()
}

// timerAlarm is Go's timer.
type timerAlarm struct {
	timer *time.Timer
	ring  chan struct{}
}

func newTimerAlarm() (alarm, error) {
	a := &timerAlarm{ring: make(chan struct{}, 1)}
	a.timer = time.AfterFunc(time.Hour, func() { ring(a.ring) })
	return a, nil
}

func (a *timerAlarm) set(after time.Duration) { a.timer.Reset(after) }
func (a *timerAlarm) rings() <-chan struct{}  { return a.ring }
func (a *timerAlarm) close()                  { a.timer.Stop() }

func ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
