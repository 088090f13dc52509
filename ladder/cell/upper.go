package cell

import (
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/admission/bound"
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// Leaster is a Simulator that knows the least that an answer costs.
type Leaster interface {
	// Least returns the least engine time that an answer takes in any batch, and the
	// least time from arrival to end on an idle engine. Of the prompt's tokens cached
	// need not be computed.
	Least(prompt, cached, output int) (work, alone time.Duration)
}

// upper is how many requests of a tape's steady window no policy could have passed in
// answers within the SLO, knowing every length and all that comes: null where the
// machine's costs are not known, where lengths are the model's to choose, and where
// later turns of conversations make arrivals depend on the engine.
func upper(m Machine, cfg *Config, prefixCache bool, t *Tape) (none results.Opt[float64]) {
	machine, ok := m.(Leaster)
	if !ok || cfg.Stop == StopModel {
		return none
	}
	cached := make([]int, len(t.Prompts))
	if prefixCache {
		cached = shareable(t.Prompts)
	}
	var jobs []bound.Job
	for i, r := range t.Requests {
		if r.Turn > 0 {
			return none
		}
		if r.At < cfg.Warmup {
			continue
		}
		work, alone := machine.Least(len(t.Prompts[i]), cached[i], cfg.output(&r))
		jobs = append(jobs, bound.Job{Arrives: r.At, Deadline: r.At + cfg.SLO, Least: work, Alone: alone})
	}
	return results.Some(bound.Upper(jobs))
}

// output is how many tokens the answer to a request has, unless the model ends it.
func (c *Config) output(r *loadgen.Request) int {
	if c.Stop == StopScripted {
		return max(1, min(r.MaxTokens, r.StopTokens))
	}
	return max(1, r.MaxTokens)
}

// shareable is how many tokens of each prompt, at its beginning, some other prompt has
// too: no prefix cache, however large, serves more. At least one token of a prompt is
// always computed.
func shareable(prompts [][]engine.Token) []int {
	order := make([]int, len(prompts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(prompts[a], prompts[b]) })
	shared := make([]int, len(prompts))
	for k := 1; k < len(order); k++ {
		a, b := order[k-1], order[k]
		n := commonPrefix(prompts[a], prompts[b])
		shared[a], shared[b] = max(shared[a], n), max(shared[b], n)
	}
	for i := range shared {
		shared[i] = min(shared[i], len(prompts[i])-1)
	}
	return shared
}
