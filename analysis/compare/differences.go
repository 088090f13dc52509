package compare

import "github.com/cadence-bench/cadence-bench/results"

// Difference is something that two manifests do not have in common.
type Difference struct {
	What string `json:"what"`
	A    string `json:"a"` // "" when it is not there
	B    string `json:"b"`
}

// Differences lists what differs between what made two runs. When they were made, by which
// command line and under what load is not among it.
func Differences(a, b results.Manifest) []Difference {
	var ds []Difference
	for _, c := range results.Differences(a.Origin(), b.Origin()) {
		ds = append(ds, Difference{c.Field, brief(c.Was), brief(c.Is)})
	}
	return ds
}

// brief shortens a hash; what is not there stays so.
func brief(fact string) string {
	if fact == "" {
		return ""
	}
	return results.Brief(fact)
}
