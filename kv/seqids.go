package kv

import (
	"errors"
	"fmt"
)

var (
	// ErrNoSeqs means that every sequence id is in use.
	ErrNoSeqs = errors.New("kv: no free sequence id")
	// ErrSeq means that a sequence id is out of range, or not one that the caller
	// has taken.
	ErrSeq = errors.New("kv: sequence id is not taken")
)

// SeqIDs is the set of the backend's sequence ids. An id is free, taken by a
// running request, or owned by the prefix tree. Ids are reused last in, first out.
// Its methods are O(1), and do not allocate.
type SeqIDs struct {
	free  []int32 // a stack; the top is at the end
	state []seqState
	owned int
}

type seqState uint8

const (
	seqFree seqState = iota
	seqTaken
	seqOwned
)

// NewSeqIDs returns n free ids, 0 … n-1. Id 0 is given first.
func NewSeqIDs(n int) (*SeqIDs, error) {
	if n < 1 {
		return nil, fmt.Errorf("kv: %d sequence ids: at least 1 is needed", n)
	}
	s := &SeqIDs{free: make([]int32, n), state: make([]seqState, n)}
	for i := range s.free {
		s.free[i] = int32(n - 1 - i)
	}
	return s, nil
}

// Len is the number of ids in any state.
func (s *SeqIDs) Len() int { return len(s.state) }

// Free is the number of free ids.
func (s *SeqIDs) Free() int { return len(s.free) }

// Owned is the number of ids that the prefix tree owns.
func (s *SeqIDs) Owned() int { return s.owned }

// Take takes a free id. It returns ErrNoSeqs when there is none.
func (s *SeqIDs) Take() (int32, error) {
	n := len(s.free)
	if n == 0 {
		return -1, ErrNoSeqs
	}
	id := s.free[n-1]
	s.free = s.free[:n-1]
	s.state[id] = seqTaken
	return id, nil
}

// Give gives back an id that was taken. It returns ErrSeq, and changes nothing,
// when the id is free, owned by the tree or out of range.
func (s *SeqIDs) Give(id int32) error {
	if uint(id) >= uint(len(s.state)) || s.state[id] != seqTaken {
		return ErrSeq
	}
	s.state[id] = seqFree
	s.free = append(s.free, id)
	return nil
}

// own hands a taken id to the tree.
func (s *SeqIDs) own(id int32) {
	s.state[id] = seqOwned
	s.owned++
}

// disown frees an id that the tree owns.
func (s *SeqIDs) disown(id int32) {
	s.state[id] = seqFree
	s.owned--
	s.free = append(s.free, id)
}

// Check verifies in O(ids) that the free list is exactly the free ids, each once,
// and that the count of owned ids is right.
func (s *SeqIDs) Check() error {
	listed := make([]bool, len(s.state))
	for _, id := range s.free {
		if listed[id] {
			return fmt.Errorf("kv: sequence id %d is twice on the free list", id)
		}
		listed[id] = true
	}
	owned := 0
	for id, state := range s.state {
		if (state == seqFree) != listed[id] {
			return fmt.Errorf("kv: sequence id %d: state %d, on the free list %v", id, state, listed[id])
		}
		if state == seqOwned {
			owned++
		}
	}
	if owned != s.owned {
		return fmt.Errorf("kv: the tree owns %d sequence ids, %d are counted", owned, s.owned)
	}
	return nil
}
