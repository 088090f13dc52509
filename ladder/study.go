package ladder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/internal/nearest"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// Knob is a setting of a rung, or of the engine below it, that a study changes alone.
type Knob struct {
	Name    string
	Adds    string   // what it is, for help
	Values  []string // that are tried unless others are given
	current func(r *spec.Rung, engine map[string]string) string
	set     func(r *spec.Rung, value string, longest int) error
}

// The words that are values besides numbers.
const (
	unchunked = "unchunked"
	wholePool = "all"
)

// StudyKnobs are the knobs there are, on a machine with so many cores.
func StudyKnobs(cores int) []Knob {
	var threads []string
	for n := range cores {
		threads = append(threads, strconv.Itoa(n+1))
	}
	return []Knob{
		{"prefill-budget", "tokens of a step; unchunked takes the longest prompt whole", []string{"128", "256", "512", unchunked},
			func(r *spec.Rung, _ map[string]string) string { return strconv.Itoa(r.Policy.StepTokens) }, setBudget},
		{"prefill-order", "who goes first in a step", []string{spec.DecodeFirst, spec.PrefillFirst},
			func(r *spec.Rung, _ map[string]string) string {
				if r.Policy.DecodeFirst {
					return spec.DecodeFirst
				}
				return spec.PrefillFirst
			},
			oneOf(map[string]func(*spec.Rung){
				spec.DecodeFirst:  func(r *spec.Rung) { r.Policy.DecodeFirst = true },
				spec.PrefillFirst: func(r *spec.Rung) { r.Policy.DecodeFirst = false },
			})},
		{"flash-attn", "flash attention in the engine", []string{"on", "off"},
			func(_ *spec.Rung, engine map[string]string) string { return engine["flash_attn"] },
			oneOf(map[string]func(*spec.Rung){
				"on": func(r *spec.Rung) { r.Variant.FlashAttn = "on" }, "off": func(r *spec.Rung) { r.Variant.FlashAttn = "off" },
			})},
		{"kv-layout", "layout of the engine's KV cache", []string{"streams", "unified"},
			func(_ *spec.Rung, engine map[string]string) string { return engine["kv_layout"] },
			oneOf(map[string]func(*spec.Rung){
				"streams": func(r *spec.Rung) { r.Variant.KVLayout = "streams" }, "unified": func(r *spec.Rung) { r.Variant.KVLayout = "unified" },
			})},
		{"threads", "threads of the engine", threads,
			func(_ *spec.Rung, engine map[string]string) string { return engine["threads"] },
			number(1, func(r *spec.Rung, n int) { r.Variant.Threads = n })},
		{"block-size", "tokens of a KV block", []string{"8", "16", "32", "64"},
			func(r *spec.Rung, _ map[string]string) string { return strconv.Itoa(r.Cache.BlockTokens) },
			number(1, func(r *spec.Rung, n int) { r.Cache.BlockTokens = n })},
		{"kv-cells", "KV cells that may be used", []string{"4096", "8192", "16384", wholePool},
			func(r *spec.Rung, _ map[string]string) string {
				if r.Cache.Cells == 0 {
					return wholePool
				}
				return strconv.Itoa(r.Cache.Cells)
			}, setPool},
		{"max-batch", "sequences at once", []string{"4", "8", "16", "24", "32"},
			func(r *spec.Rung, _ map[string]string) string { return strconv.Itoa(r.Policy.MaxBatch) },
			number(1, func(r *spec.Rung, n int) { r.Policy.MaxBatch = n })},
	}
}

func number(least int, set func(*spec.Rung, int)) func(*spec.Rung, string, int) error {
	return func(r *spec.Rung, value string, _ int) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < least {
			return fmt.Errorf("%q is not a whole number of at least %d", value, least)
		}
		set(r, n)
		return nil
	}
}

func oneOf(values map[string]func(*spec.Rung)) func(*spec.Rung, string, int) error {
	return func(r *spec.Rung, value string, _ int) error {
		set, ok := values[value]
		if !ok {
			var names []string
			for name := range values {
				names = append(names, name)
			}
			slices.Sort(names)
			return fmt.Errorf("%q is none of %s", value, strings.Join(names, ", "))
		}
		set(r)
		return nil
	}
}

func setBudget(r *spec.Rung, value string, longest int) error {
	if value == unchunked {
		r.Policy.StepTokens = max(longest, r.Policy.StepTokens) + r.Policy.MaxBatch // decoding rows besides the prompt
		return nil
	}
	return number(1, func(r *spec.Rung, n int) { r.Policy.StepTokens = n })(r, value, longest)
}

func setPool(r *spec.Rung, value string, longest int) error {
	if value == wholePool {
		r.Cache.Cells = 0
		return nil
	}
	return number(1, func(r *spec.Rung, n int) { r.Cache.Cells = n })(r, value, longest)
}

func knobNamed(name string) (Knob, error) {
	knobs := StudyKnobs(1)
	var names []string
	for _, k := range knobs {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	hint := "choose from " + strings.Join(names, ", ")
	if near, ok := nearest.Match(name, names); ok {
		hint = fmt.Sprintf("did you mean %q? (%s)", near, hint)
	}
	return Knob{}, fmt.Errorf("unknown knob %q: %s", name, hint)
}

// StudyArms returns the arms of knobs, by name and all of them when there is none. An arm
// that would change nothing of base, on an engine with these parameters, is left out:
// the replicates of base are it. Values that are given are all taken, for a single knob.
func StudyArms(base spec.Rung, engine map[string]string, cores int, names, values []string) ([]results.Arm, error) {
	if len(values) > 0 && len(names) != 1 {
		return nil, fmt.Errorf("--values: they are those of one knob; name it with --knob, once")
	}
	for _, name := range names {
		if _, err := knobNamed(name); err != nil {
			return nil, fmt.Errorf("--knob: %w", err)
		}
	}
	var arms []results.Arm
	for _, k := range StudyKnobs(cores) {
		if len(names) > 0 && !slices.Contains(names, k.Name) {
			continue
		}
		tried := values
		if len(tried) == 0 {
			tried = slices.DeleteFunc(slices.Clone(k.Values), func(v string) bool { return v == k.current(&base, engine) })
		}
		for _, v := range tried {
			arm := results.Arm{Knob: k.Name, Value: v}
			if slices.Contains(arms, arm) {
				return nil, fmt.Errorf("--values: %s is given twice", v)
			}
			if err := k.set(new(spec.Rung), v, 0); err != nil {
				return nil, fmt.Errorf("--values: knob %s: %w", k.Name, err)
			}
			arms = append(arms, arm)
		}
	}
	if len(arms) == 0 {
		return nil, fmt.Errorf("--knob: %s has no other value to try here; give some with --values", strings.Join(names, ", "))
	}
	return arms, nil
}

// studied returns the rungs of a study: an arm for each change, and the base.
func (c *Config) studied() ([]spec.Rung, error) {
	bases, err := choosing(c.rungs(), []string{c.Study.Base})
	if err != nil {
		return nil, err
	}
	base := c.Overrides.Turn(bases[0])
	var rungs []spec.Rung
	for _, arm := range c.Study.Arms {
		k, err := knobNamed(arm.Knob)
		if err != nil {
			return nil, err
		}
		r := base
		r.Name, r.Adds, r.Optional = arm.String(), k.Adds, false
		if err := k.set(&r, arm.Value, c.Study.Longest); err != nil {
			return nil, fmt.Errorf("knob %s: %w", arm.Knob, err)
		}
		rungs = append(rungs, r)
	}
	base.Optional = false
	return append(rungs, base), nil // the base last, where rates are chosen by
}

// longest tells a study how long prompts are.
func (c *Config) longest(prompt int) {
	if c.Study != nil {
		study := *c.Study
		study.Longest = prompt
		c.Study = &study
	}
}

// slots spreads the replicates of one rung among the others.
func slots(rungs []spec.Rung, of string, replicates int) []results.Key {
	var others []string
	for _, r := range rungs {
		if r.Name != of {
			others = append(others, r.Name)
		}
	}
	var keys []results.Key
	for i := range replicates {
		keys = append(keys, results.Key{Rung: of, Replicate: i})
		for _, name := range others[i*len(others)/replicates : (i+1)*len(others)/replicates] {
			keys = append(keys, results.Key{Rung: name})
		}
	}
	return keys
}

// planStudy orders the cells of a study: rate by rate and seed by seed, the replicates of
// the base spread evenly among the arms, and the whole rotated so that over all blocks
// each comes early and late.
func planStudy(rungs []spec.Rung, rates []float64, seeds []uint64, again Repeats) []results.Key {
	around := slots(rungs, again.Of, max(1, again.Replicates))
	var plan []results.Key
	block, blocks := 0, len(rates)*len(seeds)
	for _, rate := range rates {
		for _, seed := range seeds {
			first := block * len(around) / blocks
			for i := range around {
				key := around[(first+i)%len(around)]
				key.OfferedRPS, key.Seed = rate, seed
				plan = append(plan, key)
			}
			block++
		}
	}
	return plan
}
