package llamacpp

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// naiveArgmax says what argmax must give, in the plainest way.
func naiveArgmax(x []float32) int {
	at := -1
	for i, v := range x {
		if v == v && (at < 0 || v > x[at]) {
			at = i
		}
	}
	return at
}

func TestArgmax(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	long := make([]float32, 31)
	last := append([]float32{}, long...)
	last[len(last)-1] = 1
	tie := append([]float32{}, long...)
	tie[11], tie[16] = 2, 2
	broken := append([]float32{}, long...)
	for i := range broken {
		broken[i] = nan
	}
	for name, c := range map[string]struct {
		x    []float32
		want int
	}{
		"empty":           {nil, -1},
		"all NaN":         {[]float32{nan, nan}, -1},
		"long, all NaN":   {broken, -1},
		"NaN first":       {[]float32{nan, -3, -2}, 2},
		"all -Inf":        {[]float32{-inf, -inf}, 0},
		"NaN then -Inf":   {[]float32{nan, -inf}, 1},
		"infinite":        {[]float32{1, inf, inf}, 1},
		"signed zeros":    {[]float32{-1, float32(math.Copysign(0, -1)), 0}, 1},
		"all equal":       {long, 0},
		"last of all":     {last, len(last) - 1},
		"lowest of equal": {tie, 11},
	} {
		require.Equal(t, c.want, argmax(c.x), name)
		require.Equal(t, c.want, naiveArgmax(c.x), name)
	}
}

// FuzzArgmax compares with the plain form on few distinct values, so that ties,
// NaN and infinities come in numbers, at lengths around the group's.
func FuzzArgmax(f *testing.F) {
	f.Add(uint64(1), uint16(29), []byte{0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x7f})
	f.Add(uint64(2), uint16(8), []byte{0, 0, 0x80, 0xff})
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, values []byte) {
		var pool []float32
		for ; len(values) >= 4; values = values[4:] {
			pool = append(pool, math.Float32frombits(binary.LittleEndian.Uint32(values)))
		}
		if len(pool) == 0 {
			return
		}
		r := rand.New(rand.NewPCG(seed, 1))
		x := make([]float32, int(n)%(40))
		for i := range x {
			x[i] = pool[r.IntN(len(pool))]
		}
		require.Equal(t, naiveArgmax(x), argmax(x))
	})
}

// BenchmarkArgmax is one row of a vocabulary of 150k.
func BenchmarkArgmax(b *testing.B) {
	const vocab = 151_936
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, vocab)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for b.Loop() {
		argmax(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/vocab, "ns/element")
}
