package ladder

import (
	"fmt"
	"sync"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/loadgen"
)

// encoder tokenises tapes before they are offered, so that no rung pays for it
// on the loop that stamps arrivals. Requests recur across rates and rungs of one
// seed, so it remembers them. Several cells may encode at once.
type encoder struct {
	m    Machine
	mu   sync.Mutex
	seen map[[2]string][]engine.Token
	kept []keptOffer // the oldest first
}

func newEncoder(m Machine) *encoder { return &encoder{m: m, seen: map[[2]string][]engine.Token{}} }

// offer is a tape with its prompts, by index. Cells share it and change nothing.
type offer struct {
	tape    *loadgen.Tape
	hash    string
	prompts [][]engine.Token
}

// keptOffers is how many offers are remembered. The plan has all rungs of a tape one
// after the other, so a few serve also several cells at once.
const keptOffers = 4

// offer returns the offer of a configuration's tape.
func (e *encoder) offer(cfg *Config, rate float64, seed uint64) (*offer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	spec := cfg.spec(rate, seed)
	for _, k := range e.kept {
		if k.spec == spec {
			return k.offer, nil
		}
	}
	tape, err := loadgen.Make(spec)
	if err != nil {
		return nil, err
	}
	prompts, err := e.encode(tape)
	if err != nil {
		return nil, err
	}
	o := &offer{tape, tape.Hash(), prompts}
	e.kept = append(e.kept[max(0, len(e.kept)-keptOffers+1):], keptOffer{spec, o})
	return o, nil
}

type keptOffer struct {
	spec  loadgen.Spec
	offer *offer
}

// encode returns the prompt of each request, by index.
func (e *encoder) encode(tape *loadgen.Tape) ([][]engine.Token, error) {
	prompts := make([][]engine.Token, len(tape.Requests))
	for i, r := range tape.Requests {
		key := [2]string{r.System, r.User}
		prompt, ok := e.seen[key]
		if !ok {
			var err error
			if prompt, err = e.m.Encode(r.System, r.User); err != nil {
				return nil, fmt.Errorf("tape %s %g rps seed %d: request %d: %w", tape.Workload, tape.RPS, tape.Seed, i, err)
			}
			e.seen[key] = prompt
		}
		prompts[i] = prompt
	}
	return prompts, nil
}
