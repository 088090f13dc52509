package loadgen

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
)

// Hash identifies a tape: the SHA-256, in hexadecimal, of a canonical encoding
// of everything in it. Integers are written as 8 bytes, little-endian (two's
// complement), floating-point numbers as their IEEE 754 bits in 8 bytes, strings
// as their length in bytes (an integer) and their bytes. The encoding is
//
//	"cadence-bench tape 1"
//	Workload, RPS, Seed, Duration in nanoseconds, number of requests
//	for each request: Index, At in nanoseconds, Class, Group, System, User,
//	                  MaxTokens, StopTokens, Seed
func (t *Tape) Hash() string {
	e := encoder{sha256.New()}
	e.text("cadence-bench tape 1")
	e.text(t.Workload)
	e.integer(math.Float64bits(t.RPS))
	e.integer(t.Seed)
	e.integer(uint64(t.Duration))
	e.integer(uint64(len(t.Requests)))
	for i := range t.Requests {
		r := &t.Requests[i]
		e.integer(uint64(r.Index))
		e.integer(uint64(r.At))
		e.text(r.Class)
		e.integer(uint64(r.Group))
		e.text(r.System)
		e.text(r.User)
		e.integer(uint64(r.MaxTokens))
		e.integer(uint64(r.StopTokens))
		e.integer(r.Seed)
	}
	return hex.EncodeToString(e.Sum(nil))
}

type encoder struct{ hash.Hash }

func (e encoder) integer(v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	e.Write(b[:])
}

func (e encoder) text(s string) {
	e.integer(uint64(len(s)))
	e.Write([]byte(s))
}
