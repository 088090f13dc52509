package ladder

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

// machines returns the machine of every variant that rungs have.
func (s *Sweep) machines(rungs []spec.Rung) (map[spec.Variant]Machine, error) {
	all := map[spec.Variant]Machine{{}: s.Machine}
	for _, r := range embedded(rungs) {
		if _, there := all[r.Variant]; there {
			continue
		}
		varied, err := vary(s.Machine, r.Variant)
		if err != nil {
			return nil, InputError{fmt.Errorf("rung %s: %w", r.Name, err)}
		}
		all[r.Variant] = varied
	}
	return all, nil
}

func vary(m Machine, v spec.Variant) (Machine, error) {
	if v == (spec.Variant{}) {
		return m, nil
	}
	variable, ok := m.(Variable)
	if !ok {
		return nil, fmt.Errorf("the %s engine cannot be had with %v", m.Backend(), v)
	}
	return variable.Vary(v)
}

// CanVary says why a machine cannot be had with a variant; nil says that it can.
func CanVary(m Machine, v spec.Variant) error {
	_, err := vary(m, v)
	return err
}
