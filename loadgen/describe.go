package loadgen

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
)

// Facts describe a tape. Lengths are in ascending order, one for each request.
type Facts struct {
	Requests, Arrivals int // arrivals come by themselves
	RPS                float64
	// Gaps compares the arrivals with a Poisson process of their own mean rate.
	Gaps arrival.Fit
	// Prompt is the prompts' length in words, what was said before included.
	Prompt, MaxTokens, StopTokens []int
	// Shared is the share of all prompt words that an unbounded prefix cache of
	// words would have seen before, if answers took no time.
	Shared             float64
	Classes            map[string]int
	Groups             int // distinct shared prefixes
	Sessions, MaxTurns int
}

// Describe returns the facts of a tape.
func Describe(t *Tape) Facts {
	at := t.ArrivalTimes()
	rate := float64(len(at)) / t.Duration.Seconds()
	f := Facts{
		Requests: len(t.Requests), Arrivals: len(at), RPS: float64(len(t.Requests)) / t.Duration.Seconds(),
		Gaps: arrival.FitPoisson(at, rate, t.Duration), Classes: map[string]int{},
	}
	groups, sessions := map[int]bool{}, map[int]bool{}
	cache := prefixes{}
	words, hits := 0, 0
	for i := range t.Requests {
		r := &t.Requests[i]
		n, hit := cache.add(r)
		words, hits = words+n, hits+hit
		f.Prompt = append(f.Prompt, n)
		f.MaxTokens = append(f.MaxTokens, r.MaxTokens)
		f.StopTokens = append(f.StopTokens, r.StopTokens)
		f.Classes[r.Class]++
		if r.Group >= 0 {
			groups[r.Group] = true
		}
		if r.Session > 0 {
			sessions[r.Session] = true
			f.MaxTurns = max(f.MaxTurns, r.Turn+1)
		}
	}
	f.Groups, f.Sessions = len(groups), len(sessions)
	if words > 0 {
		f.Shared = float64(hits) / float64(words)
	}
	slices.Sort(f.Prompt)
	slices.Sort(f.MaxTokens)
	slices.Sort(f.StopTokens)
	return f
}

// prefixes remembers every prefix of the prompts so far, by a hash of its words.
type prefixes map[uint64]bool

// add returns how many words the prompt has, and how many of them, from the first
// on, an earlier prompt began with.
func (p prefixes) add(r *Request) (words, hit int) {
	h := fnv.New64a()
	var sum [8]byte
	for _, part := range append(append([]string{r.System}, r.History...), r.User) {
		for word := range strings.FieldsSeq(part) {
			h.Write([]byte(word))
			h.Write([]byte{0})
			words++
			key := binary.LittleEndian.Uint64(h.Sum(sum[:0]))
			if p[key] {
				hit++
			}
			p[key] = true
		}
		h.Write([]byte{1})
	}
	return words, hit
}
