package ladder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// Step is a rung against the one below it.
type Step struct {
	Rung spec.Rung
	// Below is the rung that it is compared with: the nearest one before it that is
	// measured whenever it is, so an optional one only for an optional one. nil for
	// the lowest.
	Below *spec.Rung
	// Changes are the settings that differ.
	Changes []spec.Change
	// Mechanisms are what these belong to, each once. One is what a rung is for.
	Mechanisms []string
	// Between are optional rungs that lie between the two.
	Between []string
}

// Steps compares each rung of a ladder with the one below, as they are measured when
// every knob is where the presets have it.
func Steps(rungs []spec.Rung) []Step {
	var steps []Step
	for i, r := range rungs {
		s := Step{Rung: r}
		for j := i - 1; j >= 0; j-- {
			if !rungs[j].Optional || r.Optional {
				s.Below = &rungs[j]
				break
			}
			s.Between = append([]string{rungs[j].Name}, s.Between...)
		}
		if s.Below != nil {
			s.Changes = spec.Changes(asMeasured(*s.Below), asMeasured(r))
		} else {
			s.Between = nil
		}
		for _, c := range s.Changes {
			if !slices.Contains(s.Mechanisms, c.Mechanism) {
				s.Mechanisms = append(s.Mechanisms, c.Mechanism)
			}
		}
		steps = append(steps, s)
	}
	return steps
}

func asMeasured(r spec.Rung) spec.Settings {
	r = spec.Defaults().Turn(r)
	return spec.Settings{Policy: r.Policy, Cache: r.Cache, Admission: r.Admission}
}

// Warning says why the step's effect cannot be put down to one thing, "" if it can.
func (s *Step) Warning() string {
	switch {
	case s.Below == nil || len(s.Mechanisms) == 1:
		return ""
	case len(s.Mechanisms) == 0:
		return fmt.Sprintf("%s changes nothing against %s: the two measure the same", s.Rung.Name, s.Below.Name)
	}
	between := "add a rung between them that changes one"
	if len(s.Between) > 0 {
		between = fmt.Sprintf("measure the optional %s between them too, by --rungs", strings.Join(s.Between, ", "))
	}
	return fmt.Sprintf("%s changes %d mechanisms against %s (%s): %s", s.Rung.Name, len(s.Mechanisms), s.Below.Name, strings.Join(s.Mechanisms, ", "), between)
}
