// Package random gives every subsystem of a load a random stream of its own, by name, so
// that one cannot shift another.
package random

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Stream returns the random stream of one named subsystem: a PCG generator
// seeded with the first 16 bytes of SHA-256(seed, name). Streams of different
// names or seeds are unrelated, so that drawing more from one of them, or
// changing the workload, cannot shift another (the arrivals, for instance).
func Stream(seed uint64, name string) *rand.Rand {
	h := sha256.New()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	h.Write(b[:])
	h.Write([]byte(name))
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}
