package analysis

import (
	"slices"
	"strconv"
)

// Traits are what a rung is, by the parameters that its cells recorded. A rung's name
// says nothing: ladder files choose names freely.
type Traits struct {
	Policy   string // of admission; "" takes every request
	MaxBatch int    // requests that may run at once; 0 where nobody says, as for a server
	Refill   bool   // waiting requests join a running batch
	Prefix   bool   // prompts share a cache of prefixes
}

// promising are the admission policies that promise a share of late requests, alpha.
// Others may have a parameter of that name, which is no promise.
var promising = []string{"conformal", "static-conformal"}

// TraitsOf reads the parameters of a cell.
func TraitsOf(params map[string]string) Traits {
	batch, _ := strconv.Atoi(params["max_batch"]) // absent: 0
	return Traits{Policy: params["admission"], MaxBatch: batch, Refill: params["refill"] == "true", Prefix: params["prefix_cache"] == "true"}
}

// Admits says whether the rung decides about requests, and so may refuse some.
func (t Traits) Admits() bool { return t.Policy != "" }

// Promises says whether the rung's policy promises a share of late requests.
func (t Traits) Promises() bool { return slices.Contains(promising, t.Policy) }

// FIFO says whether one request runs at a time.
func (t Traits) FIFO() bool { return t.MaxBatch == 1 && !t.Admits() }

// Static says whether a batch drains wholly before the next is formed.
func (t Traits) Static() bool { return t.MaxBatch > 1 && !t.Refill && !t.Admits() }

// Continuous says whether requests join a running batch, and nothing more.
func (t Traits) Continuous() bool { return t.MaxBatch > 1 && t.Refill && !t.Prefix && !t.Admits() }

// Traits returns what a rung is; the zero value for one without cells.
func (s *Sweep) Traits(rung string) Traits {
	for i := range s.Cells {
		if s.Cells[i].Cell.Rung == rung {
			return TraitsOf(s.Cells[i].Cell.Params)
		}
	}
	return Traits{}
}

// First returns the lowest rung of a kind.
func (s *Sweep) First(is func(Traits) bool) (rung string, ok bool) {
	i := slices.IndexFunc(s.Rungs, func(rung string) bool { return is(s.Traits(rung)) })
	if i < 0 {
		return "", false
	}
	return s.Rungs[i], true
}

// Arms are the rungs that stand beside the ladder: where several admission policies were
// measured, those that promise nothing. Each is compared with the others, and none is a
// step above another.
func (s *Sweep) Arms() []string {
	policies := map[string]bool{}
	var arms []string
	for _, rung := range s.Rungs {
		if t := s.Traits(rung); t.Admits() {
			policies[t.Policy] = true
			if !t.Promises() {
				arms = append(arms, rung)
			}
		}
	}
	if len(policies) < 2 {
		return nil
	}
	return arms
}

// Plain are the rungs without admission control, which serve all of the load.
func (s *Sweep) Plain() []string {
	return slices.DeleteFunc(slices.Clone(s.Rungs), func(rung string) bool { return s.Traits(rung).Admits() })
}

// Step is a rung and the one that it is compared with.
type Step struct{ Below, Rung string }

// Steps are the steps of the ladder, by their upper rung: from the next rung below that
// serves all of the load, so that settings of one admission policy stand side by side.
// Arms are no steps.
func (s *Sweep) Steps() []Step {
	var steps []Step
	arms := s.Arms()
	for i, rung := range s.Rungs {
		if slices.Contains(arms, rung) {
			continue
		}
		for below := i - 1; below >= 0; below-- {
			if !s.Traits(s.Rungs[below]).Admits() {
				steps = append(steps, Step{s.Rungs[below], rung})
				break
			}
		}
	}
	return steps
}
