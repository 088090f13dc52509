package engine

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var sequences = flag.Int("sequences", 1000, "random programs per property test")

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

func (p *prog) flip() bool { return p.pick(2) == 1 }

// see counts a state that a program went through.
func (p *prog) see(state string, when bool) {
	if when {
		p.seen[state]++
	}
}

// reached counts the states that programs went through.
type reached map[string]int

// program runs a driver on one program, and prints it when that fails.
func program(t *testing.T, data []byte, seen reached, drive func(*prog)) {
	t.Helper()
	defer func() { // a failed requirement ends the goroutine
		if t.Failed() {
			t.Logf("program %x", data)
		}
	}()
	drive(&prog{data: data, t: t, seen: seen})
}

// random runs a driver on random programs, prints which states they reached, and
// fails when one of the states asked for was not.
func random(t *testing.T, stream uint64, size int, drive func(*prog), want ...string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(20240612, stream))
	seen := reached{}
	for range *sequences {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		program(t, data, seen, drive)
	}
	slices.Sort(want)
	var report strings.Builder
	for _, state := range want {
		fmt.Fprintf(&report, "\n  %-44s %7d", state, seen[state])
	}
	t.Logf("%d programs of %d bytes, %d steps, reached:%s", *sequences, size, seen["step"], report.String())
	for _, state := range want {
		require.NotZero(t, seen[state], "no program reached %q", state)
	}
}
