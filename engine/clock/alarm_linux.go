package clock

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// fineAlarm is a timerfd. The runtime's poller learns of it as of any file, at
// once, where Go's timers wake an idle program by the poller's timeout, which is
// in milliseconds. A busy program polls seldom, but looks at its timers whenever
// it changes goroutines: so a loop needs both. The zero fineAlarm never rings.
type fineAlarm struct {
	fd    int
	file  *os.File
	rings chan struct{}
	armed time.Duration // for what it was set last; 0 when it has rung
}

func newFineAlarm() (*fineAlarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("timerfd: %w", err)
	}
	a := &fineAlarm{fd: fd, file: os.NewFile(uintptr(fd), "timerfd"), rings: make(chan struct{}, 1)}
	go a.listen()
	return a, nil
}

func (a *fineAlarm) listen() {
	var expirations [8]byte
	for {
		if _, err := a.file.Read(expirations[:]); err != nil {
			return
		}
		a.ring()
	}
}

func (a *fineAlarm) ring() {
	select {
	case a.rings <- struct{}{}:
	default:
	}
}

// set makes it ring at the time at, which is so far away, unless that is what it is
// set for.
func (a *fineAlarm) set(at, away time.Duration) {
	if a.file == nil || a.armed == at {
		return
	}
	a.armed = at
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(away, 1)))} // 0 would disarm it
	if err := unix.TimerfdSettime(a.fd, 0, &spec, nil); err != nil {
		a.ring() // look again rather than never
	}
}

// rang says that a ring was heard, of this setting or of one before it.
func (a *fineAlarm) rang() { a.armed = 0 }

func (a *fineAlarm) close() { a.file.Close() }
