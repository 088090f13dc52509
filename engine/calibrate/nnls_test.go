package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

func TestNNLSKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		name string
		a    *mat.Dense
		b    []float64
		want []float64
	}{
		{"inside the bounds it is least squares", mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 0}), []float64{2, 3, 5}, []float64{2, 3}},
		{"a negative one becomes 0", mat.NewDense(2, 2, []float64{1, 0, 0, 1}), []float64{2, -3}, []float64{2, 0}},
		{"the others make up for it", mat.NewDense(2, 2, []float64{1, 1, 0, 1}), []float64{2, -1}, []float64{2, 0}},
		// Least squares gives (3, -1): with the second at 0, the first is 5/3.
		{"a column leaves again", mat.NewDense(3, 2, []float64{1, 1, 1, 1, 1, 2}), []float64{2, 2, 1}, []float64{5. / 3, 0}},
		{"nothing explains it", mat.NewDense(2, 1, []float64{1, 1}), []float64{-1, -1}, []float64{0}},
		{"a column of zeros", mat.NewDense(2, 2, []float64{0, 1, 0, 1}), []float64{4, 4}, []float64{0, 4}},
		{"the same column twice", mat.NewDense(2, 2, []float64{1, 1, 1, 1}), []float64{4, 4}, []float64{4, 0}},
		{"units far apart", mat.NewDense(2, 2, []float64{1e-9, 0, 0, 1e9}), []float64{1, 1}, []float64{1e9, 1e-9}},
		{"more unknowns than rows", mat.NewDense(1, 2, []float64{1, 2}), []float64{4}, []float64{0, 2}},
	} {
		got, err := NNLS(c.a, c.b)
		require.NoError(t, err, c.name)
		if c.name == "the same column twice" || c.name == "more unknowns than rows" { // not unique
			var ax mat.VecDense
			ax.MulVec(c.a, mat.NewVecDense(len(got), got))
			require.InDeltaSlice(t, c.b, ax.RawVector().Data, 1e-12, c.name)
			continue
		}
		for j := range got {
			require.InEpsilon(t, 1+c.want[j], 1+got[j], 1e-9, "%s: %v", c.name, got)
		}
	}
}

func TestNNLSRefuses(t *testing.T) {
	_, err := NNLS(mat.NewDense(2, 1, []float64{1, 2}), []float64{1})
	require.ErrorContains(t, err, "2 rows and 1")
	_, err = NNLS(mat.NewDense(2, 1, []float64{1, math.NaN()}), []float64{1, 1})
	require.ErrorContains(t, err, "column 0")
}

// TestNNLSIsOptimal checks the Karush–Kuhn–Tucker conditions, which hold at the
// minimum of a convex problem and nowhere else: x ≥ 0, no descent into the allowed
// region, and none at all along what is above 0.
func TestNNLSIsOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	bound, inside := 0, 0
	for range 500 {
		rows, cols := 1+rng.IntN(40), 1+rng.IntN(12)
		a := mat.NewDense(rows, cols, nil)
		for j := range cols {
			scale := math.Pow(10, float64(rng.IntN(9)-4))
			for i := range rows {
				a.Set(i, j, scale*rng.NormFloat64())
			}
			switch {
			case j > 1 && rng.IntN(5) == 0: // depends on two others
				for i := range rows {
					a.Set(i, j, a.At(i, j-1)+2*a.At(i, j-2))
				}
			case rng.IntN(8) == 0:
				a.SetCol(j, make([]float64, rows))
			}
		}
		b := make([]float64, rows)
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		x, err := NNLS(a, b)
		require.NoError(t, err)
		var r mat.VecDense
		r.MulVec(a, mat.NewVecDense(cols, x))
		r.SubVec(mat.NewVecDense(rows, b), &r)
		for j := range cols {
			norm := mat.Norm(a.ColView(j), 2)
			g := mat.Dot(a.ColView(j), &r)
			require.GreaterOrEqual(t, x[j], 0.0)
			require.LessOrEqual(t, g, 1e-6*norm*mat.Norm(mat.NewVecDense(rows, b), 2))
			if x[j] > 0 {
				inside++
				require.InDelta(t, 0, g, 1e-6*norm*mat.Norm(mat.NewVecDense(rows, b), 2))
			} else {
				bound++
			}
		}
	}
	require.Greater(t, inside, 500)
	require.Greater(t, bound, 500)
}

// TestNNLSRecovers: from exact data with a non-negative cause it finds the cause.
func TestNNLSRecovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		cols := 1 + rng.IntN(10)
		rows := cols + 5 + rng.IntN(30)
		a := mat.NewDense(rows, cols, nil)
		want := make([]float64, cols)
		for j := range cols {
			want[j] = max(0, rng.NormFloat64())
			for i := range rows {
				a.Set(i, j, rng.Float64())
			}
		}
		var b mat.VecDense
		b.MulVec(a, mat.NewVecDense(cols, want))
		got, err := NNLS(a, b.RawVector().Data)
		require.NoError(t, err)
		require.InDeltaSlice(t, want, got, 1e-8)
	}
}
