package ideal

import (
	"time"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// Server is a target that serves requests in the order in which they come, each for
// a known time, with one token at its end.
//
// It keeps its schedule to the nanosecond whenever its callbacks run: the next
// request starts when the one before was due to end. So in wall time what differs
// from theory is the driver's lateness, and not a timer's that would make every
// service longer.
type Server struct {
	clk     clock.Clock
	free    []time.Duration // when each server is free; nil: there is always one
	service func(request int) time.Duration
}

// NewServer returns a server with so many places, all idle; 0 places are unlimited.
// service is how long each request of the tape takes, by its index.
func NewServer(clk clock.Clock, places int, service func(request int) time.Duration) *Server {
	return &Server{clk: clk, free: make([]time.Duration, places), service: service}
}

// Send implements loadgen.Target. A request that is withdrawn keeps its place, as
// with a server that does not notice.
func (s *Server) Send(r *loadgen.Request, to loadgen.Sink) (cancel func()) {
	start := s.clk.Now()
	first := 0 // the place that is free first
	for i, t := range s.free {
		if t < s.free[first] {
			first = i
		}
	}
	if len(s.free) > 0 {
		start = max(start, s.free[first])
	}
	end := start + s.service(r.Index)
	if len(s.free) > 0 {
		s.free[first] = end
	}
	timer := s.clk.At(end, func() {
		to.Started(start)
		to.Token(end)
		to.Done(results.Completed, "", end)
	})
	return timer.Cancel
}
