package decided

import (
	"cmp"
	"slices"
)

// Movement is how the requests of a cell fared against before.
type Movement struct {
	Compared int // requests that are in both
	// Moved is how many of those that were answered both times took another time.
	Moved int
	// NewlyLate were in time, and are answered late or were given up: by the client, by the
	// policy once taken, or by a failure. NewlyInTime were not in time.
	NewlyLate, NewlyInTime []int32
	// NewlyRefused are refused on arrival and were not; NewlyTaken the other way round.
	NewlyRefused, NewlyTaken []int32
	// Most are those of Moved whose latency changed most, up or down, first.
	Most []Move
}

// Move is a request whose latency changed.
type Move struct {
	Request     int32
	Before, Now Request
}

// MS is by how many milliseconds its latency grew.
func (m Move) MS() int64 { return m.Now.MS - m.Before.MS }

// Moved compares the requests of two cells and names at most n that moved most.
func Moved(before, now *Cell, n int) Movement {
	was := make(map[int32]Request, len(before.Requests))
	for _, r := range before.Requests {
		was[r.ID] = r
	}
	var m Movement
	for _, r := range now.Requests {
		b, ok := was[r.ID]
		if !ok {
			continue
		}
		m.Compared++
		m.fared(b, r)
		if b.answered() && r.answered() && b.MS != r.MS {
			m.Most = append(m.Most, Move{r.ID, b, r})
		}
	}
	m.Moved = len(m.Most)
	slices.SortFunc(m.Most, func(a, b Move) int {
		return cmp.Or(cmp.Compare(magnitude(b.MS()), magnitude(a.MS())), cmp.Compare(a.Request, b.Request))
	})
	m.Most = m.Most[:min(len(m.Most), max(0, n))]
	return m
}

// fared notes a request whose fate is another.
func (m *Movement) fared(before, now Request) {
	if before.Fate == now.Fate {
		return
	}
	switch {
	case now.Fate == Refused:
		m.NewlyRefused = append(m.NewlyRefused, now.ID)
	case now.Fate == InTime:
		m.NewlyInTime = append(m.NewlyInTime, now.ID)
	case before.Fate == InTime:
		m.NewlyLate = append(m.NewlyLate, now.ID)
	}
	if before.Fate == Refused {
		m.NewlyTaken = append(m.NewlyTaken, now.ID)
	}
}

func (r Request) answered() bool { return r.Fate == InTime || r.Fate == Late }

func magnitude(ms int64) int64 { return max(ms, -ms) }
