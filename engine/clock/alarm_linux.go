package clock

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// fdAlarm is a timerfd. The runtime's poller learns of it as of any file, so that
// it rings when it is due; the poller's own timeout, by which Go's timers wake an
// idle program, is rounded up to a millisecond.
type fdAlarm struct {
	fd   int
	file *os.File
	ring chan struct{}
}

func newFineAlarm() (alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("timerfd: %w", err)
	}
	a := &fdAlarm{fd: fd, file: os.NewFile(uintptr(fd), "timerfd"), ring: make(chan struct{}, 1)}
	go a.listen()
	return a, nil
}

func (a *fdAlarm) listen() {
	var expirations [8]byte
	for {
		if _, err := a.file.Read(expirations[:]); err != nil {
			return
		}
		ring(a.ring)
	}
}

// set arms the timer; a duration of 0 would disarm it.
func (a *fdAlarm) set(after time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(after, 1)))}
	if err := unix.TimerfdSettime(a.fd, 0, &spec, nil); err != nil {
		ring(a.ring) // look again rather than never
	}
}

func (a *fdAlarm) rings() <-chan struct{} { return a.ring }
func (a *fdAlarm) close()                 { a.file.Close() }
