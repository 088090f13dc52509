package analysis

import (
	"cmp"

	"github.com/cadence-bench/cadence-bench/results"
)

// hits counts prompt tokens over the requests whose cached tokens are known: those
// that started on an engine with a prefix cache.
type hits struct {
	prompt, cached int
	// shareable are those that a cache without bounds could have served: the shared
	// tokens of every request but the first of its group to start in the cell.
	shareable int
	// unknown says that a prompt does not tell how much of it could have been served:
	// a shareable one of a file that lacks it, or a later turn of a conversation.
	unknown bool

	first map[int32]*results.Record // per group, of the whole cell, warm-up included
}

func newHits(recs []results.Record) hits {
	h := hits{first: map[int32]*results.Record{}}
	for i := range recs {
		r := &recs[i]
		if !r.Group.OK || !r.Started.OK {
			continue
		}
		first, seen := h.first[r.Group.V]
		if !seen || cmp.Or(cmp.Compare(r.Started.V, first.Started.V), cmp.Compare(r.Request, first.Request)) < 0 {
			h.first[r.Group.V] = r
		}
	}
	return h
}

func (h *hits) add(r *results.Record) {
	if !r.CachedTokens.OK {
		return
	}
	h.cached += int(r.CachedTokens.V)
	h.prompt += int(r.PromptTokens)
	// What a turn shares with those before it depends on when they were computed.
	h.unknown = h.unknown || r.Turn.V > 0
	if !r.Group.OK || h.first[r.Group.V] == r {
		return
	}
	h.shareable += int(r.SharedTokens.V)
	h.unknown = h.unknown || !r.SharedTokens.OK
}

func (h *hits) rate() results.Opt[float64] { return share(h.cached, h.prompt) }

func (h *hits) ceiling() results.Opt[float64] {
	if h.unknown {
		return results.Opt[float64]{}
	}
	return share(h.shareable, h.prompt)
}

// reached is the rate's share of the ceiling; null where there is nothing to reach.
func (h *hits) reached() results.Opt[float64] {
	if h.unknown {
		return results.Opt[float64]{}
	}
	return share(h.cached, h.shareable)
}
