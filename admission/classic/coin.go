package classic

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
)

// coinOf is the random stream of a policy. Each has its own, so that none shifts
// another's.
func coinOf(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	io.WriteString(h, "admission/"+name)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
