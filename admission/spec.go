package admission

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// Spec says which policy a rung has. The zero Spec takes everything.
type Spec struct {
	Policy string             // a name that package policies lists; "" is none
	Params map[string]float64 // by name; what is left out has its default
	// Predictor and Score are for policies that predict: "" is the default.
	Predictor string // work, gbm, arithmetic or quantile
	Score     string // absolute, log-ratio or scaled
	// Wrap, if it is there, goes around the policy: a decorator that a test or the proof of
	// the regression gate brings. No ladder file, flag or parameter has one.
	Wrap func(Policy) Policy
}

// Env is what a policy needs to know of where it runs.
type Env struct {
	SLO                  time.Duration // E2E objective
	MaxBatch, StepTokens int
	Seed                 uint64
	// Output is how long the answer to a request will be, in tokens. It is there for
	// kinds that Know alone, and nil for every other.
	Output func(id int) int
	// Fitted is what was learnt before; nil: the policy learns from nothing, on-line. It is
	// not changed.
	Fitted *Fitted
}

// Param is a number that a policy takes.
type Param struct {
	Name              string
	Default, Min, Max float64
	Unit              string // "", "s", "1/s", "tokens", …
	Doc               string // one line
	// Search is what a search for good values tries; the zero one is not searched. A
	// parameter that is a promise to somebody is never searched.
	Search Range
}

// Range is the values that a search tries, from Low to High, evenly in their ratio if
// Low is above 0.
type Range struct {
	Low, High float64
	Whole     bool // whole numbers only
}

// Seconds is a duration; one too long for the type is its longest.
func Seconds(s float64) time.Duration {
	if s > 9e9 {
		return math.MaxInt64
	}
	return time.Duration(s * 1e9)
}

// Kind is a policy that can be built by name.
type Kind struct {
	Name   string
	Source string // who defined it, and where its defaults come from
	Doc    string // one line
	Params []Param
	// Knows kinds are told the true lengths: they are no policies that could serve, but
	// what others are measured against.
	Knows bool
	New   func(p Params, spec Spec, env Env) (Policy, error)
}

// Params are a policy's numbers, defaults filled in.
type Params map[string]float64

// Seconds returns a parameter in seconds as a duration.
func (p Params) Seconds(name string) time.Duration {
	return time.Duration(p[name] * float64(time.Second))
}

// Make builds the policy of this kind with a spec's parameters, defaults filled in.
func (k Kind) Make(spec Spec, env Env) (Policy, error) {
	p, err := k.Resolve(spec.Params)
	if err != nil {
		return nil, err
	}
	if !k.Knows {
		env.Output = nil
	} else if env.Output == nil {
		return nil, fmt.Errorf("admission: %s must know the true lengths of answers, which only a scripted stop has", k.Name)
	}
	policy, err := k.New(p, spec, env)
	if err == nil && spec.Wrap != nil {
		policy = spec.Wrap(policy)
	}
	return policy, err
}

// Resolve fills in the defaults of what is not given, or says what of it is wrong.
func (k Kind) Resolve(given map[string]float64) (Params, error) {
	p := Params{}
	for _, d := range k.Params {
		p[d.Name] = d.Default
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		j := slices.IndexFunc(k.Params, func(d Param) bool { return d.Name == name })
		if j < 0 {
			return nil, fmt.Errorf("admission: %s has no parameter %q", k.Name, name)
		}
		if v, d := given[name], k.Params[j]; !(v >= d.Min && v <= d.Max) {
			return nil, fmt.Errorf("admission: %s of %s is %g, must be %g to %g", name, k.Name, v, d.Min, d.Max)
		}
		p[name] = given[name]
	}
	return p, nil
}
