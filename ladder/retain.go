package ladder

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// RetainRule says how many KV cells may hold nothing but cached prefixes, by what such
// cells cost every step on the machine. The bound leaves room for the workload's
// longest prompt, in tokens. The choice's value is the number of cells, 0 for no bound.
type RetainRule func(longestPrompt int) results.Choice

// retained applies the rule to a configuration that leaves the bound open. It is
// applied twice: to the sample from which rates and SLO are chosen, and again when the
// tapes, whose rates follow from that, show how long prompts really are.
type retained struct {
	rule    RetainRule // nil: nothing to bound
	choices []results.Choice
}

func (s *Sweep) retainOf(cfg Config) *retained {
	rungs, _ := cfg.ladder()
	if cfg.KVRetain != 0 || !slices.ContainsFunc(rungs, func(r spec.Rung) bool { return r.Caches() }) {
		return &retained{}
	}
	return &retained{rule: s.Retain}
}

// apply sets cfg's bound, and returns its rungs.
func (r *retained) apply(cfg *Config, longestPrompt int) ([]spec.Rung, error) {
	if r.rule != nil {
		choice := r.rule(longestPrompt)
		cells, err := strconv.Atoi(choice.Value)
		if err != nil {
			return nil, fmt.Errorf("choice of kv_retain: %w", err)
		}
		cfg.KVRetain, r.choices = cells, []results.Choice{choice}
	}
	return cfg.ladder()
}

func (t trial) longestPrompt() int {
	longest := 0
	for _, l := range t.lengths {
		longest = max(longest, l.Prompt)
	}
	return longest
}
