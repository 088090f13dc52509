package spec

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
