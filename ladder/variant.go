package ladder

import (
	"fmt"
	"strings"
)

// Variant changes the engine below a rung. The zero value changes nothing.
type Variant struct {
	FlashAttn string // on or off; "" as it is
	KVLayout  string // streams or unified; "" as it is
	Threads   int    // for all passes; 0 as they are
}

// String names what a variant changes, as in "flash_attn=off".
func (v Variant) String() string {
	var parts []string
	if v.FlashAttn != "" {
		parts = append(parts, "flash_attn="+v.FlashAttn)
	}
	if v.KVLayout != "" {
		parts = append(parts, "kv_layout="+v.KVLayout)
	}
	if v.Threads != 0 {
		parts = append(parts, fmt.Sprintf("threads=%d", v.Threads))
	}
	return strings.Join(parts, " ")
}

// Variable is a Machine that can be had with another engine below.
type Variable interface {
	Machine
	// Vary returns the machine with a variant, on the same model, or says why it cannot.
	Vary(Variant) (Machine, error)
}

// machines returns the machine of every variant that rungs have.
func (s *Sweep) machines(rungs []Rung) (map[Variant]Machine, error) {
	all := map[Variant]Machine{{}: s.Machine}
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

func vary(m Machine, v Variant) (Machine, error) {
	if v == (Variant{}) {
		return m, nil
	}
	variable, ok := m.(Variable)
	if !ok {
		return nil, fmt.Errorf("the %s engine cannot be had with %v", m.Backend(), v)
	}
	return variable.Vary(v)
}

// CanVary says why a machine cannot be had with a variant; nil says that it can.
func CanVary(m Machine, v Variant) error {
	_, err := vary(m, v)
	return err
}
