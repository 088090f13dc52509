package ladder

import (
	"fmt"
	"strings"
	"sync"
	"time"

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
	seen map[exchangeText][]engine.Token
	kept []keptOffer // the oldest first
}

// exchangeText is all that a prompt says; history is the turns before, each ended
// by a zero byte.
type exchangeText struct{ system, history, user string }

func textOf(r *loadgen.Request) exchangeText {
	var history strings.Builder
	for _, turn := range r.History {
		history.WriteString(turn)
		history.WriteByte(0)
	}
	return exchangeText{r.System, history.String(), r.User}
}

func newEncoder(m Machine) *encoder { return &encoder{m: m, seen: map[exchangeText][]engine.Token{}} }

// offer is a tape with its prompts, by index. Cells share it and change nothing.
type offer struct {
	tape    *loadgen.Tape
	hash    string
	prompts [][]engine.Token
	shared  []results.Opt[int32] // tokens of a shared system prompt
}

// keptOffers is how many offers are remembered. The plan has all rungs of a tape one
// after the other, so a few serve also several cells at once.
const keptOffers = 4

type keptOffer struct {
	key   offerKey
	offer *offer
}

type offerKey struct {
	workload, arrivals string
	rate               float64
	seed               uint64
	duration           time.Duration
}

// offer returns the offer of a configuration's tape.
func (e *encoder) offer(cfg *Config, rate float64, seed uint64) (*offer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := offerKey{cfg.Workload, cfg.Arrivals, rate, seed, cfg.Duration}
	for _, k := range e.kept {
		if k.key == key {
			return k.offer, nil
		}
	}
	tape, err := cfg.tape(rate, seed)
	if err != nil {
		return nil, err
	}
	o, err := e.prompts(tape)
	if err != nil {
		return nil, err
	}
	e.kept = append(e.kept[max(0, len(e.kept)-keptOffers+1):], keptOffer{key, o})
	return o, nil
}

// offered returns a configuration's tape and its hash and, for an engine, the offer,
// which is nil for a server: that one tokenises for itself.
func (e *encoder) offered(cfg *Config, rate float64, seed uint64, engine bool) (*loadgen.Tape, string, *offer, error) {
	if !engine {
		tape, err := cfg.tape(rate, seed)
		if err != nil {
			return nil, "", nil, err
		}
		return tape, tape.Hash(), nil, nil
	}
	o, err := e.offer(cfg, rate, seed)
	if err != nil {
		return nil, "", nil, err
	}
	return o.tape, o.hash, o, nil
}

// of returns the offer of a tape.
func (e *encoder) of(tape *loadgen.Tape) (*offer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.prompts(tape)
}

// prompts encodes a tape. The caller holds mu, as for what follows.
func (e *encoder) prompts(tape *loadgen.Tape) (*offer, error) {
	prompts, err := e.encode(tape)
	if err != nil {
		return nil, err
	}
	shared, err := e.shared(tape, prompts)
	if err != nil {
		return nil, err
	}
	return &offer{tape, tape.Hash(), prompts, shared}, nil
}

// encode returns the prompt of each request, by index.
func (e *encoder) encode(tape *loadgen.Tape) ([][]engine.Token, error) {
	prompts := make([][]engine.Token, len(tape.Requests))
	for i := range tape.Requests {
		prompt, err := e.one(&tape.Requests[i])
		if err != nil {
			return nil, fmt.Errorf("tape %s %g rps seed %d: request %d: %w", tape.Workload, tape.RPS, tape.Seed, i, err)
		}
		prompts[i] = prompt
	}
	return prompts, nil
}

// shared returns, for each request of a tape that carries a shared system prompt, how
// many tokens of its prompt do not depend on the user's turn: those that its prompt
// begins with whatever that turn is. prompts are encode's.
func (e *encoder) shared(tape *loadgen.Tape, prompts [][]engine.Token) ([]results.Opt[int32], error) {
	counts := make([]results.Opt[int32], len(tape.Requests))
	for i, r := range tape.Requests {
		if r.Group < 0 || r.System == "" {
			continue // recorded blocks share text within the user's turn, which is not counted
		}
		// Another turn that differs from the first character on; a digit, because
		// tokenizers do not join one to the text before it.
		other := loadgen.Request{System: r.System, User: "0"}
		if strings.HasPrefix(r.User, other.User) {
			other.User = "1"
		}
		prompt, err := e.one(&other)
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

// one encodes what a request says, once.
func (e *encoder) one(r *loadgen.Request) ([]engine.Token, error) {
	key := textOf(r)
	if prompt, ok := e.seen[key]; ok {
		return prompt, nil
	}
	prompt, err := e.m.Encode(r.System, r.User, r.History...)
	if err != nil {
		return nil, err
	}
	e.seen[key] = prompt
	return prompt, nil
}
