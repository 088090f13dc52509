package admission

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Spec says which policy a rung has. The zero Spec takes everything.
type Spec struct {
	Policy string             // a name that Kinds lists; "" is none
	Params map[string]float64 // by name; what is left out has its default
	// Predictor and Score are for policies that predict: "" is the default.
	Predictor string // work, gbm, arithmetic or quantile
	Score     string // absolute, log-ratio or scaled
	// Faults are mistakes that the policy makes on purpose; see there.
	Faults Faults
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

// Kinds returns every policy, in the order of the documentation.
func Kinds() []Kind { return slices.Clone(kinds) }

// New builds the policy that a spec names.
func New(spec Spec, env Env) (Policy, error) {
	if spec.Policy == "" {
		return Base{}, nil
	}
	k, p, err := spec.resolve()
	if err != nil {
		return nil, err
	}
	if err := spec.Faults.check(); err != nil {
		return nil, err
	}
	if !k.Knows {
		env.Output = nil
	} else if env.Output == nil {
		return nil, fmt.Errorf("admission: %s must know the true lengths of answers, which only a scripted stop has", k.Name)
	}
	return k.New(p, spec, env)
}

// Check says what is wrong with s, if anything.
func (s Spec) Check() error {
	if s.Policy == "" {
		return nil
	}
	_, _, err := s.resolve()
	return err
}

func (s Spec) resolve() (Kind, Params, error) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == s.Policy })
	if i < 0 {
		return Kind{}, nil, fmt.Errorf("admission: no policy is called %q; choose from %s", s.Policy, strings.Join(kindNames(), ", "))
	}
	k, p := kinds[i], Params{}
	for _, d := range k.Params {
		p[d.Name] = d.Default
	}
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		j := slices.IndexFunc(k.Params, func(d Param) bool { return d.Name == name })
		if j < 0 {
			return k, nil, fmt.Errorf("admission: %s has no parameter %q", k.Name, name)
		}
		if v, d := s.Params[name], k.Params[j]; !(v >= d.Min && v <= d.Max) {
			return k, nil, fmt.Errorf("admission: %s of %s is %g, must be %g to %g", name, k.Name, v, d.Min, d.Max)
		}
		p[name] = s.Params[name]
	}
	return k, p, nil
}

func kindNames() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// kinds are the policies. Each is defined in a file of its own.
var kinds = []Kind{
	{
		Name: "none", Source: "the rung below", Doc: "takes every request",
		New: func(Params, Spec, Env) (Policy, error) { return Base{}, nil },
	},
	controlledKind, staticKind, oracleKind,
	deadlineDropKind, inFlightCapKind, queuedTokensCapKind, tokenBucketKind, aimdKind, gradient2Kind, vegasKind,
	envoyKind, codelKind, dagorKind, breakwaterKind, bouncerKind,
}
