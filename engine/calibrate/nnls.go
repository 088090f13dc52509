package calibrate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// nnlsTolerance is the part of the largest gradient that counts as 0.
const nnlsTolerance = 1e-10

// errNNLS says that the active-set method did not come to an end, which it does in
// exact arithmetic.
var errNNLS = errors.New("non-negative least squares did not converge")

// NNLS returns the x ≥ 0 that minimises |Ax − b|, by the active-set method of
// Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23. Columns of
// a are scaled to length 1 first, so that their units do not matter. A column that
// is 0 or depends on those already in use gets 0.
func NNLS(a mat.Matrix, b []float64) ([]float64, error) {
	rows, cols := a.Dims()
	if rows != len(b) {
		return nil, fmt.Errorf("non-negative least squares: %d rows and %d right-hand sides", rows, len(b))
	}
	scaled := mat.DenseCopyOf(a)
	norms := make([]float64, cols)
	for j := range cols {
		norms[j] = mat.Norm(scaled.ColView(j), 2)
		if math.IsNaN(norms[j]) || math.IsInf(norms[j], 0) {
			return nil, fmt.Errorf("non-negative least squares: column %d is not finite", j)
		}
		if norms[j] > 0 {
			for i := range rows {
				scaled.Set(i, j, scaled.At(i, j)/norms[j])
			}
		}
	}
	s := nnls{a: scaled, b: mat.NewVecDense(rows, b), x: make([]float64, cols), passive: make([]bool, cols), barred: make([]bool, cols)}
	if err := s.solve(); err != nil {
		return nil, err
	}
	for j := range s.x {
		if norms[j] > 0 {
			s.x[j] /= norms[j]
		}
	}
	return s.x, nil
}

// nnls is a problem under way.
type nnls struct {
	a       *mat.Dense
	b       *mat.VecDense
	x       []float64
	passive []bool // may be above 0
	barred  []bool // depends on the passive columns; until these change
}

func (s *nnls) solve() error {
	_, cols := s.a.Dims()
	scale := mat.Norm(s.b, 2)
	for range 30 * (cols + 1) {
		j := s.steepest(nnlsTolerance * scale)
		if j < 0 {
			return nil
		}
		s.passive[j] = true
		z, ok := s.unconstrained()
		// Rounding can give a column that depends on the others a positive gradient
		// and a solution that is not: it would enter and leave for ever.
		if !ok || z[j] <= 0 {
			s.passive[j], s.barred[j] = false, true
			continue
		}
		clear(s.barred)
		for !s.accept(z) {
			if z, ok = s.unconstrained(); !ok {
				return errNNLS
			}
		}
	}
	return errNNLS
}

// steepest returns the column at 0 whose increase reduces the error most, or -1 if
// none reduces it.
func (s *nnls) steepest(tolerance float64) int {
	var residual mat.VecDense
	residual.MulVec(s.a, mat.NewVecDense(len(s.x), s.x))
	residual.SubVec(s.b, &residual)
	best, at := tolerance, -1
	for j := range s.x {
		if s.passive[j] || s.barred[j] {
			continue
		}
		if g := mat.Dot(s.a.ColView(j), &residual); g > best {
			best, at = g, j
		}
	}
	return at
}

// unconstrained solves for the passive columns alone; ok is false when they depend
// on one another.
func (s *nnls) unconstrained() (z []float64, ok bool) {
	var used []int
	for j, p := range s.passive {
		if p {
			used = append(used, j)
		}
	}
	z = make([]float64, len(s.x))
	rows, _ := s.a.Dims()
	if len(used) == 0 {
		return z, true
	}
	if len(used) > rows {
		return nil, false
	}
	sub := mat.NewDense(rows, len(used), nil)
	for k, j := range used {
		sub.SetCol(k, mat.Col(nil, j, s.a))
	}
	var qr mat.QR
	qr.Factorize(sub)
	if c := qr.Cond(); c > 1e12 || math.IsNaN(c) {
		return nil, false
	}
	var v mat.VecDense
	if err := qr.SolveVecTo(&v, false, s.b); err != nil {
		return nil, false
	}
	for k, j := range used {
		z[j] = v.AtVec(k)
	}
	return z, true
}

// accept moves x to z if z is allowed. Otherwise it moves x towards z until the
// first column becomes 0, and makes that one active again.
func (s *nnls) accept(z []float64) bool {
	step := 1.0
	for j, p := range s.passive {
		if p && z[j] <= 0 {
			step = min(step, s.x[j]/(s.x[j]-z[j]))
		}
	}
	allowed := true
	for j, p := range s.passive {
		if !p {
			continue
		}
		// At the bound to the bit, whatever rounding says of the column that set it.
		out := z[j] <= 0 && s.x[j]/(s.x[j]-z[j]) <= step
		s.x[j] += step * (z[j] - s.x[j])
		if out {
			s.x[j], s.passive[j], allowed = 0, false, false
		}
	}
	return allowed
}
