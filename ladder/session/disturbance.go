package session

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/results"
)

// busyShare is the load average over the number of cores from which something else is at
// work.
const busyShare = 0.5

// Announce says to other processes that this one is at work, and warns of those that are
// and of whatever else keeps the machine busy.
func Announce(note func(string)) *results.AtWork {
	here := results.Announce()
	if others := here.Others(); len(others) > 0 {
		note(fmt.Sprintf("warning: another cadence-bench is at work on this machine (%s): each makes the other slow; wait for its end, or stop it", results.OthersText(others)))
	}
	if host := results.ReadHost(); host.Load1.V > busyShare*float64(host.Cores) {
		note(fmt.Sprintf("warning: the load average is %.1f on %d cores: something else is at work, and the figures would be of what it leaves", host.Load1.V, host.Cores))
	}
	return here
}

// announce is Announce without the warnings for a simulation: others do not disturb it, as
// its time is virtual, and it disturbs them.
func (o *Options) announce() *results.AtWork {
	if o.Twin {
		return results.Announce()
	}
	return Announce(o.Progress.Note)
}

// system reads the machine for a cell, the other processes at work among it.
func system(here *results.AtWork) func() results.System {
	return func() results.System {
		s := results.ReadSystem()
		s.Programs = here.Others()
		return s
	}
}
