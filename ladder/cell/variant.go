package cell

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// Variable is a Machine that can be had with another engine below.
type Variable interface {
	Machine
	// Vary returns the machine with a variant, on the same model, or says why it cannot.
	Vary(spec.Variant) (Machine, error)
}

// Vary returns a machine with a variant, or says why it cannot be had.
func Vary(m Machine, v spec.Variant) (Machine, error) {
	if v == (spec.Variant{}) {
		return m, nil
	}
	variable, ok := m.(Variable)
	if !ok {
		return nil, fmt.Errorf("the %s engine cannot be had with %v", m.Backend(), v)
	}
	return variable.Vary(v)
}
