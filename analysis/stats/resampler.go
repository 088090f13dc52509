package stats

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

const (
	// Resamples is how often a comparison is resampled: for the ends of a 95%
	// interval 1,000 or more are advised (Efron and Tibshirani, An Introduction to
	// the Bootstrap, section 12 and 19.3), and twice that costs little.
	Resamples = 2000
	// ResampleSeed begins the random stream of every comparison; the tapes' hashes
	// follow, so that the same comparison always gives the same interval.
	ResampleSeed = 1
)

// Resampler draws seeds with replacement, and then, in each drawn seed, blocks of
// adjacent requests of a circle with replacement, as many requests as there were
// (Politis and Romano, A circular block-resampling procedure for stationary data,
// 1992: moving blocks, with which the first and the last requests, the extremes of a
// growing queue, come as often as any other).
type Resampler struct {
	*rand.Rand
	times []int32
}

// NewResampler has a random stream of its own for every set of names, such as the hashes of
// tapes.
func NewResampler(tapes []string) *Resampler {
	h := sha256.New()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], ResampleSeed)
	h.Write(b[:])
	for _, tape := range tapes {
		h.Write([]byte(tape))
	}
	sum := h.Sum(nil)
	return &Resampler{Rand: rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))}
}

// Requests draws n requests in blocks and returns how often each was drawn. The
// result is valid until the next call.
func (r *Resampler) Requests(n, block int) []int32 {
	r.times = slices.Grow(r.times[:0], n)[:n]
	clear(r.times)
	for drawn := 0; drawn < n; {
		at := r.IntN(n)
		for range min(block, n-drawn) {
			r.times[at]++
			drawn++
			if at++; at == n {
				at = 0
			}
		}
	}
	return r.times
}
