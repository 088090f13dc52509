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
//
// A tape whose arrivals are not "poisson", or with a conversation in it, begins with
// "cadence-bench tape 2" instead, has Arrivals after Workload, and adds to each
// request Session, Turn, Think in nanoseconds, the length of History, and its strings.
func (t *Tape) Hash() string {
	e := encoder{sha256.New()}
	plain := t.plain()
	if plain {
		e.text("cadence-bench tape 1")
		e.text(t.Workload)
	} else {
		e.text("cadence-bench tape 2")
		e.text(t.Workload)
		e.text(t.Arrivals)
	}
	e.integer(math.Float64bits(t.RPS))
	e.integer(t.Seed)
	e.integer(uint64(t.Duration))
	e.integer(uint64(len(t.Requests)))
	for i := range t.Requests {
		e.request(&t.Requests[i])
		if !plain {
			e.turn(&t.Requests[i])
		}
	}
	return hex.EncodeToString(e.Sum(nil))
}

// plain says that the first encoding covers the tape: what it leaves out is not in it.
func (t *Tape) plain() bool {
	if t.Arrivals != "poisson" {
		return false
	}
	for i := range t.Requests {
		if r := &t.Requests[i]; r.Session != 0 || r.Turn != 0 || r.Think != 0 || len(r.History) > 0 {
			return false
		}
	}
	return true
}

func (e encoder) request(r *Request) {
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

func (e encoder) turn(r *Request) {
	e.integer(uint64(r.Session))
	e.integer(uint64(r.Turn))
	e.integer(uint64(r.Think))
	e.integer(uint64(len(r.History)))
	for _, s := range r.History {
		e.text(s)
	}
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
