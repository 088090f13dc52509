package httptarget

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/cadence-bench/cadence-bench/results"
)

// stream is an answer being read.
type stream struct {
	*client
	bounds
	heard func(n int, at time.Duration)
	body  io.Reader
	at    time.Duration // when the last bytes were read

	tally  tally
	usage  usage
	finish string
	told   int // tokens passed on, no more than were asked for
	held   int // of these, from the bytes last read, and not passed on yet
	multi  int
}

// Read stamps bytes where they are read. What the bytes before them held goes to the
// loop first, at once, for under load a read brings several chunks.
func (s *stream) Read(p []byte) (int, error) {
	s.pass()
	n, err := s.body.Read(p)
	s.at = s.now()
	return n, err
}

// slack is how many chunks beyond the tokens asked for are read, by factor and by
// number: a token may come in several, but no server may fill the memory.
const slackFactor, slack = 4, 64

func (s *stream) pass() {
	if s.held > 0 {
		s.heard(s.held, s.at)
		s.held = 0
	}
}

func (s *stream) read() answer {
	defer s.pass()
	events := newEventReader(s)
	defer events.release()
	for {
		e, err := events.next()
		if err != nil {
			return s.ended(err)
		}
		c, over, err := s.cfg.API.decode(e)
		if err != nil {
			return s.broken(err.Error())
		}
		if c.finish != "" {
			s.finish = c.finish
		}
		s.usage.merge(c.usage)
		if c.text > 0 || c.tokens > 0 {
			if closed := s.output(c); closed {
				return s.whole(nil, s.byWhat())
			}
		}
		if s.tally.tokens > slackFactor*s.tokens+slack {
			return s.broken(fmt.Sprintf("the server sent %d chunks of output and more, of the %d tokens asked for", s.tally.tokens, s.tokens))
		}
		if over {
			return s.over()
		}
	}
}

// output takes in a chunk with output and says whether the client has enough.
func (s *stream) output(c chunk) bool {
	n := s.tally.add(s.at, c)
	if n > 1 {
		s.multi++
	}
	most := s.tokens
	if s.stop > 0 {
		most = s.stop
	}
	if n = min(n, most-s.told); n > 0 {
		s.told += n
		s.held += n
	}
	return s.stop > 0 && s.told >= s.stop
}

func (s *stream) byWhat() Counting {
	if s.tally.guess {
		return ByChunk
	}
	return ByIDs
}

// ended judges a stream whose bytes have run out. One whose answer had finished is
// whole, with or without the protocol's last event.
func (s *stream) ended(err error) answer {
	switch {
	case errors.Is(err, io.EOF) && s.finish != "":
		return s.over()
	case errors.Is(err, io.EOF):
		return s.broken("the stream ended before the answer did")
	case errors.Is(err, errLongEvent):
		return s.broken(err.Error())
	}
	a := s.failed(err, s)
	return a
}

// over judges a stream that came to its end.
func (s *stream) over() answer {
	times, how := s.tally.settle(s.usage, s.tokens)
	if len(s.tally.chunks) == 0 {
		why := ""
		if s.finish != "" {
			why = fmt.Sprintf(" (finish reason %q)", s.finish)
		}
		return s.broken("the answer has no token" + why)
	}
	if s.stop > 0 { // the server ended before the client did
		times = times[:min(len(times), s.stop)]
		if len(times) == 0 {
			times = nil
		}
	}
	return s.whole(times, how)
}

func (s *stream) whole(times []time.Duration, how Counting) answer {
	return answer{outcome: results.Completed, at: s.at, usage: s.usage, times: times, counted: how, several: s.multi, status: http.StatusOK}
}

// broken is a stream that the server did not end as it should have.
func (s *stream) broken(reason string) answer {
	return answer{outcome: results.Failed, at: s.at, usage: s.usage, status: http.StatusOK, several: s.multi,
		reason: fmt.Sprintf("%s (%d tokens)", reason, s.told)}
}
