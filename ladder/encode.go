package ladder

import (
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/loadgen"
)

// encoder tokenises tapes before they are offered, so that no rung pays for it
// on the loop that stamps arrivals. Requests recur across rates and rungs of one
// seed, so it remembers them.
type encoder struct {
	m    Machine
	seen map[exchangeText][]engine.Token
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

func newEncoder(m Machine) *encoder { return &encoder{m, map[exchangeText][]engine.Token{}} }

// encode returns the prompt of each request, by index.
func (e *encoder) encode(tape *loadgen.Tape) ([][]engine.Token, error) {
	prompts := make([][]engine.Token, len(tape.Requests))
	for i := range tape.Requests {
		r := &tape.Requests[i]
		key := textOf(r)
		prompt, ok := e.seen[key]
		if !ok {
			var err error
			if prompt, err = e.m.Encode(r.System, r.User, r.History...); err != nil {
				return nil, fmt.Errorf("tape %s %g rps seed %d: request %d: %w", tape.Workload, tape.RPS, tape.Seed, i, err)
			}
			e.seen[key] = prompt
		}
		prompts[i] = prompt
	}
	return prompts, nil
}
