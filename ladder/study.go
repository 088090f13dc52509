package ladder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/internal/nearest"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

func knobNamed(name string) (spec.Knob, error) {
	knobs := spec.Knobs(1)
	var names []string
	for _, k := range knobs {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return spec.Knob{}, fmt.Errorf("unknown knob %q: %s", name, nearest.Hint(name, names))
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
	for _, k := range spec.Knobs(cores) {
		if len(names) > 0 && !slices.Contains(names, k.Name) {
			continue
		}
		tried := values
		if len(tried) == 0 {
			tried = slices.DeleteFunc(slices.Clone(k.Values), func(v string) bool { return v == k.Current(base, engine) })
		}
		for _, v := range tried {
			arm := results.Arm{Knob: k.Name, Value: v}
			if slices.Contains(arms, arm) {
				return nil, fmt.Errorf("--values: %s is given twice", v)
			}
			if err := k.Set(new(spec.Rung), v, 0); err != nil {
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
		if err := k.Set(&r, arm.Value, c.Study.Longest); err != nil {
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
