// Package policies lists every admission policy by name: what a ladder file may ask for, and
// what the documentation prints. It stands above the packages that define them.
package policies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/classic"
	"github.com/cadence-bench/cadence-bench/admission/predict"
	"github.com/cadence-bench/cadence-bench/admission/riskcontrol"
)

// Kinds returns every policy, in the order of the documentation.
func Kinds() []admission.Kind {
	all := []admission.Kind{{
		Name: "none", Source: "the rung below", Doc: "takes every request",
		New: func(admission.Params, admission.Spec, admission.Env) (admission.Policy, error) {
			return admission.Base{}, nil
		},
	}}
	return slices.Concat(all, riskcontrol.Kinds(), []admission.Kind{predict.OracleKind}, classic.Kinds())
}

// New builds the policy that a spec names. The zero Spec takes everything.
func New(spec admission.Spec, env admission.Env) (admission.Policy, error) {
	if spec.Policy == "" {
		return admission.Base{}, nil
	}
	k, err := find(spec)
	if err != nil {
		return nil, err
	}
	return k.Make(spec, env)
}

// Check says what is wrong with a spec, if anything.
func Check(spec admission.Spec) error {
	if spec.Policy == "" {
		return nil
	}
	k, err := find(spec)
	if err == nil {
		_, err = k.Resolve(spec.Params)
	}
	return err
}

func find(spec admission.Spec) (admission.Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == spec.Policy {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return admission.Kind{}, fmt.Errorf("admission: no policy is called %q; choose from %s", spec.Policy, strings.Join(names, ", "))
}
