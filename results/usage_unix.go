//go:build unix

package results

import (
	"syscall"
	"time"
)

// CPUTime returns the user and system time that this process has taken since it
// began; null when the system does not tell.
func CPUTime() Opt[time.Duration] {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return Opt[time.Duration]{}
	}
	return Some(time.Duration(u.Utime.Nano() + u.Stime.Nano()))
}
