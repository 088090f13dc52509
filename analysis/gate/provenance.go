package gate

import (
	"cmp"
	"fmt"
	"slices"
)

// differences say in what a run is not of the same thing as its baseline.
func differences(was, is Provenance) []string {
	var out []string
	differ := func(what, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf("the baseline is of another %s: %s, now %s", what, orNone(a), orNone(b)))
		}
	}
	differ("calibration", short(was.Calibration), short(is.Calibration))
	differ("ladder", was.Ladder, is.Ladder)
	differ("choice of rungs", fmt.Sprint(was.Rungs), fmt.Sprint(is.Rungs))
	differ("load", fmt.Sprintf("%+v", was.Load), fmt.Sprintf("%+v", is.Load))
	if len(out) == 0 && !slices.Equal(sortedTapes(was.Tapes), sortedTapes(is.Tapes)) {
		out = append(out, "the baseline is of other tapes: the load generator offers something else than it did")
	}
	return out
}

// sortedTapes has the tapes by rate and seed.
func sortedTapes(tapes []Tape) []Tape {
	return slices.SortedFunc(slices.Values(tapes), func(a, b Tape) int {
		return cmp.Or(cmp.Compare(a.RateRPS, b.RateRPS), cmp.Compare(a.Seed, b.Seed))
	})
}

// short is as much of a hash as tells it apart.
func short(hash string) string { return hash[:min(12, len(hash))] }

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
