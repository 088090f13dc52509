package gbm

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// noisy draws rows of three features; the target rises with the first, falls with the
// second, and does not depend on the third; its spread rises with the first.
func noisy(seed uint64, n int) (x [][]float64, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range n {
		row := []float64{rng.Float64() * 10, rng.Float64() * 10, rng.Float64()}
		x = append(x, row)
		y = append(y, 2*row[0]-row[1]+(1+row[0]/2)*rng.ExpFloat64())
	}
	return x, y
}

func pinball(q float64, y, pred float64) float64 {
	if y > pred {
		return q * (y - pred)
	}
	return (1 - q) * (pred - y)
}

func TestQuantileOfNewRows(t *testing.T) {
	x, y := noisy(1, 4000)
	tx, ty := noisy(2, 4000)
	for _, q := range []float64{0.5, 0.8, 0.95} {
		m, err := Train(x, y, Defaults(q))
		require.NoError(t, err)
		below, loss, base, exact := 0, 0.0, 0.0, 0.0
		for i, row := range tx {
			p := m.Predict(row)
			if ty[i] <= p {
				below++
			}
			loss += pinball(q, ty[i], p)
			base += pinball(q, ty[i], m.Base)
			exact += pinball(q, ty[i], 2*row[0]-row[1]-(1+row[0]/2)*math.Log(1-q))
		}
		require.InDelta(t, q, float64(below)/float64(len(tx)), 0.03, "coverage of %v", q)
		require.Less(t, loss, exact+0.15*(base-exact), "of what a constant loses against the truth, at most 15%% are left at %v", q)
		if q == 0.5 { // in the tail few rows ask for anything, and chance has its share
			imp := m.Importance()
			require.Greater(t, imp[0], imp[1])
			require.Greater(t, imp[1], 3*imp[2])
		}
	}
}

// TestMonotone holds a model to its constraints where the data contradicts them.
func TestMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for round := range 30 {
		var x [][]float64
		var y []float64
		for range 100 + rng.IntN(400) {
			row := []float64{rng.Float64(), rng.Float64(), float64(rng.IntN(4))}
			x = append(x, row)
			y = append(y, math.Sin(12*row[0])+3*row[1]*row[2]+rng.NormFloat64())
		}
		p := Defaults(0.1 + 0.8*rng.Float64())
		p.Depth, p.MinLeaf, p.Monotone = 1+rng.IntN(6), 1+rng.IntN(20), []int8{1, -1, 0}
		m, err := Train(x, y, p)
		require.NoError(t, err)
		for range 300 {
			a := []float64{rng.Float64()*1.4 - 0.2, rng.Float64()*1.4 - 0.2, float64(rng.IntN(4))}
			b := []float64{a[0] + rng.Float64()*100, a[1] - rng.Float64()*100, a[2]}
			require.LessOrEqual(t, m.Predict(a), m.Predict(b)+1e-9, "round %d: %v, %v", round, a, b)
		}
	}
}

func TestSameInputSameModel(t *testing.T) {
	x, y := noisy(3, 500)
	a, err := Train(x, y, Defaults(0.9))
	require.NoError(t, err)
	b, err := Train(x, y, Defaults(0.9))
	require.NoError(t, err)
	require.Equal(t, a, b)
	data, err := json.Marshal(a)
	require.NoError(t, err)
	var read Model
	require.NoError(t, json.Unmarshal(data, &read))
	require.Equal(t, *a, read)
}

func TestWhatCannotBeSplit(t *testing.T) {
	for _, it := range []struct {
		name string
		x    [][]float64
		y    []float64
		want float64
	}{
		{"one row", [][]float64{{1}}, []float64{7}, 7},
		{"a constant feature", [][]float64{{1}, {1}, {1}, {1}}, []float64{1, 2, 3, 4}, 2},
		{"a constant target", [][]float64{{1}, {2}, {3}, {4}}, []float64{5, 5, 5, 5}, 5},
	} {
		p := Defaults(0.5)
		p.MinLeaf = 1
		m, err := Train(it.x, it.y, p)
		require.NoError(t, err, it.name)
		require.InDelta(t, it.want, m.Predict(it.x[0]), 1e-9, it.name)
	}
}

func TestBadInput(t *testing.T) {
	x, y := noisy(4, 50)
	for _, it := range []struct {
		want string
		x    [][]float64
		y    []float64
		p    func(*Params)
	}{
		{"0 rows", nil, nil, func(*Params) {}},
		{"50 rows for 49", x, y[:49], func(*Params) {}},
		{"quantile 1", x, y, func(p *Params) { p.Quantile = 1 }},
		{"depth 9", x, y, func(p *Params) { p.Depth = 9 }},
		{"rate 0", x, y, func(p *Params) { p.Rate = 0 }},
		{"300 bins", x, y, func(p *Params) { p.Bins = 300 }},
		{"2 monotone", x, y, func(p *Params) { p.Monotone = []int8{1, 1} }},
		{"has 1 features", [][]float64{{1, 2}, {1}}, []float64{1, 2}, func(*Params) {}},
		{"not a finite", [][]float64{{math.NaN()}, {1}}, []float64{1, 2}, func(*Params) {}},
	} {
		p := Defaults(0.5)
		it.p(&p)
		_, err := Train(it.x, it.y, p)
		require.ErrorContains(t, err, it.want)
	}
}

func TestPredictDoesNotAllocate(t *testing.T) {
	x, y := noisy(6, 1000)
	m, err := Train(x, y, Defaults(0.9))
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(100, func() { m.Predict(x[0]) }))
}

func BenchmarkPredict(b *testing.B) {
	x, y := noisy(6, 2000)
	m, err := Train(x, y, Defaults(0.9))
	require.NoError(b, err)
	for i := 0; b.Loop(); i++ {
		m.Predict(x[i%len(x)])
	}
}

func BenchmarkTrain(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		x, y := noisy(6, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				_, err := Train(x, y, Defaults(0.9))
				require.NoError(b, err)
			}
		})
	}
}
