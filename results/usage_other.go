//go:build !unix

package results

import "time"

// CPUTime returns the user and system time that this process has taken since it
// began; null when the system does not tell.
func CPUTime() Opt[time.Duration] { return Opt[time.Duration]{} }
