package llamacpp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/stretchr/testify/require"
)

// TestSampleFollowsSoftmax draws often enough that a chi-square test at 1e-6
// tells a wrong temperature or a shifted index.
func TestSampleFollowsSoftmax(t *testing.T) {
	logits := []float32{2, 0.5, float32(math.NaN()), -1, 0.5, float32(math.Inf(-1)), 1.5, -3}
	const draws = 200_000
	for _, temp := range []float32{0.5, 1, 2} {
		p := make([]float64, len(logits))
		sum := 0.0
		for i, l := range logits {
			if l == l {
				p[i] = math.Exp(float64(l) / float64(temp))
				sum += p[i]
			}
		}
		s := sampler{weights: make([]float64, len(logits))}
		got := make([]float64, len(logits))
		for i := range draws {
			how := engine.Sampling{Temperature: temp, Seed: uint64(i / 500)}
			tok, ok := s.token(logits, argmax(logits), how, int32(i%500))
			require.True(t, ok)
			got[tok]++
		}
		chi, free := 0.0, -1
		for i := range p {
			if p[i] == 0 {
				require.Zero(t, got[i], "token %d cannot be drawn", i)
				continue
			}
			want := p[i] / sum * draws
			chi += (got[i] - want) * (got[i] - want) / want
			free++
		}
		require.Equal(t, 5, free)
		require.Less(t, chi, 37.0, "temperature %v: chi-square with 5 degrees of freedom is above its 1-1e-6 quantile", temp)
	}
}

func TestSampleEdges(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	hot := engine.Sampling{Temperature: 1, Seed: 7}
	for name, c := range map[string]struct {
		logits []float32
		how    engine.Sampling
		want   engine.Token
		ok     bool
	}{
		"greedy":           {[]float32{1, 3, 3, 2}, engine.Sampling{}, 1, true},
		"greedy, all NaN":  {[]float32{nan, nan}, engine.Sampling{}, 0, false},
		"hot, all NaN":     {[]float32{nan, nan}, hot, 0, false},
		"hot, infinite":    {[]float32{1, inf, 2}, hot, 1, true},
		"hot, all -Inf":    {[]float32{-inf, -inf}, hot, 0, true},
		"hot, one finite":  {[]float32{-inf, -5, -inf}, hot, 1, true},
		"nearly cold":      {[]float32{1, 1.5, 1}, engine.Sampling{Temperature: 1e-30}, 1, true},
		"hot, one element": {[]float32{-1000}, hot, 0, true},
	} {
		s := sampler{weights: make([]float64, len(c.logits))}
		tok, ok := s.token(c.logits, argmax(c.logits), c.how, 3)
		require.Equal(t, c.ok, ok, name)
		require.Equal(t, c.want, tok, name)
	}
}

// TestUniform holds the stream to the published SplitMix64: its first outputs
// for seed 1234567 (Vigna's reference program).
func TestUniform(t *testing.T) {
	for pos, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		require.Equal(t, float64(want>>11)/(1<<53), uniform(1234567, int32(pos)))
	}
	require.Less(t, uniform(0, math.MaxInt32), 1.0)
}

// TestBestOfManyRows: rows searched by two goroutines give what one gives.
func TestBestOfManyRows(t *testing.T) {
	const vocab = 50_000
	rng := rand.New(rand.NewPCG(8, 8))
	var s sampler
	for _, n := range []int{1, 2, 5, 6, 24} {
		logits := make([]float32, n*vocab)
		for i := range logits {
			logits[i] = rng.Float32()
		}
		require.GreaterOrEqual(t, 6*vocab, searchTogether)
		best := s.best(logits, vocab)
		require.Len(t, best, n)
		for k, at := range best {
			require.Equal(t, argmax(logits[k*vocab:(k+1)*vocab]), at)
		}
	}
}
