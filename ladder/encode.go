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
}

func newEncoder(m Machine) *encoder { return &encoder{m: m, seen: map[[2]string][]engine.Token{}} }

// encode returns the prompt of each request, by index.
func (e *encoder) encode(tape *loadgen.Tape) ([][]engine.Token, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
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
