package kv

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var sequences = flag.Int("sequences", 1000, "random operation sequences per differential test; below about 300 some states are not reached")

// prog turns bytes into choices: a fuzzer's input, or random bytes.
type prog struct {
	data []byte
	t    *testing.T
	seen reached
}

func (p *prog) done() bool { return len(p.data) == 0 }

// pick returns a number in 0 … n-1.
func (p *prog) pick(n int) int {
	if len(p.data) == 0 {
		return 0
	}
	v := int(p.data[0]) % n
	p.data = p.data[1:]
	return v
}

// tokens returns between lo and hi tokens of a two-letter alphabet, so that blocks
// repeat; a byte makes eight.
func (p *prog) tokens(lo, hi int) []int32 {
	out := make([]int32, lo+p.pick(hi-lo+1))
	bits := 0
	for i := range out {
		if i%8 == 0 {
			bits = p.pick(256)
		}
		out[i] = int32(bits >> (i % 8) & 1)
	}
	return out
}

// see counts a state that a sequence went through.
func (p *prog) see(state string, when bool) {
	if when {
		p.seen[state]++
	}
}

// reached counts the states that operation sequences went through.
type reached map[string]int

// differential runs a driver on random sequences, prints which states they
// reached, and fails when one of the states asked for was not.
func differential(t *testing.T, stream uint64, size int, drive func(*prog), want ...string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(20240611, stream))
	seen := reached{}
	for range *sequences {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		drive(&prog{data: data, t: t, seen: seen})
	}
	slices.Sort(want)
	var report strings.Builder
	for _, state := range want {
		fmt.Fprintf(&report, "\n  %-44s %7d", state, seen[state])
	}
	t.Logf("%d sequences of %d bytes reached:%s", *sequences, size, report.String())
	for _, state := range want {
		require.NotZero(t, seen[state], "no sequence reached %q", state)
	}
}
