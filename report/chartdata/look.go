package chartdata

import "slices"

// known are the rungs of the built-in ladders, each at the place that is its look,
// so that one looks the same in a run of all rungs and in a run of two.
var known = []string{"fifo", "static", "continuous", "prefix", "conformal-80", "conformal-95", "conformal-99", "paged"}

// Looks gives each rung, in ladder order, a number by which it is drawn. No two have
// the same.
func Looks(rungs []string) map[string]int {
	looks := map[string]int{}
	taken := map[int]bool{}
	for _, rung := range rungs {
		if i := slices.Index(known, rung); i >= 0 {
			looks[rung], taken[i] = i, true
		}
	}
	next := 0
	for _, rung := range rungs {
		if _, ok := looks[rung]; ok {
			continue
		}
		for taken[next] {
			next++
		}
		looks[rung], taken[next] = next, true
	}
	return looks
}
