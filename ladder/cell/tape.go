package cell

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// Tapes makes the tapes of cells and tokenises them before they are offered, so that no
// rung pays for it on the loop that stamps arrivals. Requests recur across rates and rungs
// of one seed, so it remembers them. Several cells may use it at once.
type Tapes struct {
	model Model
	mu    sync.Mutex
	seen  map[exchangeText][]engine.Token
	kept  []*Tape // tokenised, the oldest first
}

// NewTapes returns the tapes of a model; nil makes tapes that are not tokenised.
func NewTapes(m Model) *Tapes { return &Tapes{model: m, seen: map[exchangeText][]engine.Token{}} }

// Tape is a tape with its prompts. Cells share it and change nothing.
type Tape struct {
	*loadgen.Tape
	Hash string
	// Prompts are by the requests' index; nil where nothing was tokenised.
	Prompts [][]engine.Token
	// ArrivalRPS is the rate of what arrives by itself; null where every request does.
	ArrivalRPS results.Opt[float64]

	key    tapeKey
	shared []results.Opt[int32] // tokens of a shared system prompt
}

// LongestPrompt is in tokens.
func (t *Tape) LongestPrompt() int {
	longest := 0
	for _, p := range t.Prompts {
		longest = max(longest, len(p))
	}
	return longest
}

// keptTapes is how many tapes are remembered. The plan has all rungs of a tape one
// after the other, so a few serve also several cells at once.
const keptTapes = 4

type tapeKey struct {
	workload, arrivals string
	rate               float64
	seed               uint64
	duration           time.Duration
}

// At returns the tape of a rate and a seed, tokenised for an engine or not.
func (e *Tapes) At(cfg *Config, rate float64, seed uint64, tokenised bool) (*Tape, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := tapeKey{cfg.Workload, cfg.Arrivals, rate, seed, cfg.Duration}
	for _, t := range e.kept {
		if t.key == key && tokenised {
			return t, nil
		}
	}
	load, err := loadgen.OpenLoad(cfg.Workload, cfg.Arrivals)
	if err != nil {
		return nil, err
	}
	tape, err := load.Make(rate, seed, cfg.Duration)
	if err != nil {
		return nil, err
	}
	t := &Tape{Tape: tape}
	if tokenised {
		if t, err = e.tokenise(tape); err != nil {
			return nil, err
		}
		e.kept = append(e.kept[max(0, len(e.kept)-keptTapes+1):], t)
	} else {
		t.Hash = tape.Hash()
	}
	t.key = key
	if own := load.ArrivalRate(rate); own != rate {
		t.ArrivalRPS = results.Some(own)
	}
	return t, nil
}

// Tokenise returns a tape with its prompts.
func (e *Tapes) Tokenise(tape *loadgen.Tape) (*Tape, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tokenise(tape)
}

// tokenise is Tokenise with mu held, as for what follows.
func (e *Tapes) tokenise(tape *loadgen.Tape) (*Tape, error) {
	prompts, err := e.encode(tape)
	if err != nil {
		return nil, err
	}
	shared, err := e.shared(tape, prompts)
	if err != nil {
		return nil, err
	}
	return &Tape{Tape: tape, Hash: tape.Hash(), Prompts: prompts, shared: shared}, nil
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

// encode returns the prompt of each request, by index.
func (e *Tapes) encode(tape *loadgen.Tape) ([][]engine.Token, error) {
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
func (e *Tapes) shared(tape *loadgen.Tape, prompts [][]engine.Token) ([]results.Opt[int32], error) {
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
func (e *Tapes) one(r *loadgen.Request) ([]engine.Token, error) {
	key := textOf(r)
	if prompt, ok := e.seen[key]; ok {
		return prompt, nil
	}
	prompt, err := e.model.Encode(r.System, r.User, r.History...)
	if err != nil {
		return nil, err
	}
	e.seen[key] = prompt
	return prompt, nil
}
