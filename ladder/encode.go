package ladder

import (
	"fmt"
	"strings"
	"sync"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// encoder tokenises tapes before they are offered, so that no rung pays for it
// on the loop that stamps arrivals. Requests recur across rates and rungs of one
// seed, so it remembers them. Several cells may encode at once.
type encoder struct {
	m    Machine
	mu   sync.Mutex
	seen map[[2]string][]engine.Token

	keeping sync.Mutex
	kept    []keptOffer // the oldest first
}

type keptOffer struct {
	spec  loadgen.Spec
	offer *offer
}

// offer is a tape as a model is offered it. Cells share it and change nothing.
type offer struct {
	tape    *loadgen.Tape
	hash    string
	prompts [][]engine.Token     // by index in the tape
	shared  []results.Opt[int32] // see encoder.shared
}

// keptOffers is how many offers are remembered. The plan has all rungs of a tape one
// after the other, so a few serve also several cells at once.
const keptOffers = 4

func newEncoder(m Machine) *encoder { return &encoder{m: m, seen: map[[2]string][]engine.Token{}} }

// offer returns the offer of a configuration's tape at a rate and seed.
func (e *encoder) offer(cfg *Config, rate float64, seed uint64) (*offer, error) {
	e.keeping.Lock()
	defer e.keeping.Unlock()
	spec := cfg.spec(rate, seed)
	for _, k := range e.kept {
		if k.spec == spec {
			return k.offer, nil
		}
	}
	tape, err := cfg.tape(rate, seed)
	if err != nil {
		return nil, err
	}
	o := &offer{tape: tape, hash: tape.Hash()}
	if o.prompts, err = e.encode(tape); err != nil {
		return nil, err
	}
	if o.shared, err = e.shared(tape, o.prompts); err != nil {
		return nil, err
	}
	e.kept = append(e.kept[max(0, len(e.kept)-keptOffers+1):], keptOffer{spec, o})
	return o, nil
}

// shared returns, for each request of a tape that carries a shared system prompt, how
// many tokens of its prompt do not depend on the user's turn: those that its prompt
// begins with whatever that turn is. prompts are encode's.
func (e *encoder) shared(tape *loadgen.Tape, prompts [][]engine.Token) ([]results.Opt[int32], error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	counts := make([]results.Opt[int32], len(tape.Requests))
	for i, r := range tape.Requests {
		if r.Group < 0 {
			continue
		}
		// Another turn that differs from the first character on; a digit, because
		// tokenizers do not join one to the text before it.
		other := "0"
		if strings.HasPrefix(r.User, other) {
			other = "1"
		}
		prompt, err := e.one(r.System, other)
		if err != nil {
			return nil, fmt.Errorf("tape %s %g rps seed %d: request %d: %w", tape.Workload, tape.RPS, tape.Seed, i, err)
		}
		counts[i] = results.Some(int32(commonPrefix(prompts[i], prompt)))
	}
	return counts, nil
}

func commonPrefix(a, b []engine.Token) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// one encodes an exchange, once. The caller holds mu.
func (e *encoder) one(system, user string) ([]engine.Token, error) {
	key := [2]string{system, user}
	if prompt, ok := e.seen[key]; ok {
		return prompt, nil
	}
	prompt, err := e.m.Encode(system, user)
	if err != nil {
		return nil, err
	}
	e.seen[key] = prompt
	return prompt, nil
}

// encode returns the prompt of each request, by index.
func (e *encoder) encode(tape *loadgen.Tape) ([][]engine.Token, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	prompts := make([][]engine.Token, len(tape.Requests))
	for i, r := range tape.Requests {
		prompt, err := e.one(r.System, r.User)
		if err != nil {
			return nil, fmt.Errorf("tape %s %g rps seed %d: request %d: %w", tape.Workload, tape.RPS, tape.Seed, i, err)
		}
		prompts[i] = prompt
	}
	return prompts, nil
}
