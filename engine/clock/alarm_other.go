//go:build !linux

package clock

func newFineAlarm() (alarm, error) { return newTimerAlarm() }
