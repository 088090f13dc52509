package loadgen

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/loadgen/random"
	"github.com/cadence-bench/cadence-bench/loadgen/recording"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
)

// frozen gives back the requests of a tape.
type frozen struct{ rest []Request }

// next implements source.
func (f *frozen) next() []Request {
	if len(f.rest) == 0 {
		return nil
	}
	n := 1
	for n < len(f.rest) && f.rest[n].Turn > 0 {
		n++
	}
	arrival := f.rest[:n]
	f.rest = f.rest[n:]
	return arrival
}

// traceText says how rows of a recording become requests.
type traceText struct {
	scale float64 // of all token counts, so that long prompts fit a small model
	turns int     // of a conversation, at most
	think time.Duration
}

type traceSource struct {
	traceText
	draws
	rows    []recording.Row
	session int
	groups  map[int64]int // of first blocks, in order of appearance
}

// next implements source.
func (s *traceSource) next() []Request {
	if len(s.rows) == 0 {
		return nil
	}
	row := &s.rows[0]
	s.rows = s.rows[1:]
	switch {
	case row.Said != nil:
		return s.conversation(row)
	case row.Blocks != nil:
		return []Request{s.blocks(row)}
	}
	r := s.request("trace")
	r.User = text.Prose(s.text(), s.scaled(row.Prompt))
	r.MaxTokens = s.scaled(row.Output)
	r.StopTokens = r.MaxTokens
	return []Request{r}
}

func (s *traceSource) scaled(tokens int) int {
	return int(min(max(1, math.Round(float64(tokens)*s.scale)), text.MaxTokens))
}

// blocks makes a prompt of blocks: equal ids are equal text, so that what the
// recorded prompts had in common, these have too. What is beyond the ids is the
// request's own.
func (s *traceSource) blocks(row *recording.Row) Request {
	r := s.request("trace")
	group, ok := s.groups[row.Blocks[0]]
	if !ok {
		group = len(s.groups)
		s.groups[row.Blocks[0]] = group
	}
	r.Group = group
	var parts []string
	left := row.Prompt
	own := s.text()
	for _, id := range row.Blocks {
		block := text.Prose(random.Stream(s.seed, "block/"+strconv.FormatInt(id, 10)), s.scaled(recording.BlockTokens))
		if left < recording.BlockTokens {
			words := strings.Fields(block)
			block = strings.Join(words[:min(len(words), text.WordsFor(s.scaled(left)))], " ")
		}
		parts = append(parts, block)
		if left -= recording.BlockTokens; left <= 0 {
			break
		}
	}
	if left > 0 {
		parts = append(parts, text.Prose(own, s.scaled(left)))
	}
	r.User = strings.Join(parts, " ")
	r.MaxTokens = s.scaled(row.Output)
	r.StopTokens = r.MaxTokens
	return r
}

// conversation makes the recorded turns a session, or its first turn a request.
// The answers' lengths are estimated from their words.
func (s *traceSource) conversation(row *recording.Row) []Request {
	n := min(s.turns, len(row.Said)/2)
	all := make([]Request, n)
	s.session++
	for i := range all {
		r := s.request("trace")
		r.System, r.User = row.System, row.Said[2*i]
		r.MaxTokens = s.scaled(int(math.Round(float64(text.Words(row.Said[2*i+1])) * text.TokensPerWord)))
		r.StopTokens = r.MaxTokens
		if s.turns > 1 {
			r.Session, r.Turn = s.session, i
			if i > 0 {
				r.History = row.Said[: 2*i : 2*i]
				r.Think = time.Duration(math.Round(-math.Log1p(-s.draws.think.Float64()) * float64(s.traceText.think)))
			}
		}
		all[i] = r
	}
	return all
}
