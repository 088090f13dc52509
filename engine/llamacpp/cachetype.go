package llamacpp

import (
	"fmt"
	"strings"

	"github.com/hybridgroup/yzma/pkg/llama"
)

// CacheType is how keys or values of the KV cache are kept. The zero value is F16.
type CacheType uint8

// cacheTypes are those that llama.cpp has kernels for, with the bits that a value takes: the
// quantised ones keep a scale (and a minimum) for each 32 values.
var cacheTypes = []struct {
	name   string
	native llama.GGMLType
	bits   float64
}{
	{"f16", llama.GGMLTypeF16, 16}, {"f32", llama.GGMLTypeF32, 32}, {"bf16", llama.GGMLTypeBF16, 16},
	{"q8_0", llama.GGMLTypeQ8_0, 8.5}, {"q5_1", llama.GGMLTypeQ5_1, 6}, {"q5_0", llama.GGMLTypeQ5_0, 5.5},
	{"q4_1", llama.GGMLTypeQ4_1, 5}, {"q4_0", llama.GGMLTypeQ4_0, 4.5},
}

// Quantised says whether values share a scale.
func (t CacheType) Quantised() bool { return strings.HasPrefix(t.String(), "q") }

func (t CacheType) String() string { return cacheTypes[t].name }

// ParseCacheType reads the name of a type, as llama.cpp's own programs take it.
func ParseCacheType(s string) (CacheType, error) {
	var names []string
	for i, t := range cacheTypes {
		if t.name == s {
			return CacheType(i), nil
		}
		names = append(names, t.name)
	}
	return 0, fmt.Errorf("unknown type %q; choose %s", s, strings.Join(names, ", "))
}

// sized is what n bytes of F16 become with keys and values of these types.
func sized(n uint64, k, v CacheType) uint64 {
	return uint64(float64(n) * (cacheTypes[k].bits + cacheTypes[v].bits) / 32)
}
