package stats

import "gonum.org/v1/gonum/stat/distuv"

// ClopperPearson bounds a proportion of which k of n independent trials were seen, with
// the chance tail of being beyond either end: the values that neither k or more of n,
// nor k or fewer, make unlikelier than tail (Clopper and Pearson, Biometrika 26, 1934).
// It is never too narrow. n must be above 0.
func ClopperPearson(k, n int, tail float64) (lo, hi float64) {
	hi = 1
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n-k) + 1}.Quantile(tail)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k) + 1, Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return lo, hi
}
