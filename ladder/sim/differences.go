package sim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cadence-bench/cadence-bench/results"
)

// Here is what is at hand, to compare a calibration with. What is not known is "".
type Here struct {
	CPU          string
	Cores        int
	Library      map[string]string // SHA-256 of its files by name; nil: there is none
	ModelSHA256  string
	EngineSource string
}

// Differences says, in one line for each fact that differs, how a calibration is of
// something else than what is at hand.
func Differences(c results.Calibration, h Here) []string {
	var all []string
	for _, f := range []struct{ what, calibrated, here string }{
		{"machine", c.Host.CPU, h.CPU},
		{"number of cores", fmt.Sprint(c.Host.Cores), fmt.Sprint(h.Cores)},
		{"model", c.Model.SHA256, h.ModelSHA256},
		{"engine source", c.EngineSource, h.EngineSource},
	} {
		if f.here != "" && f.calibrated != f.here {
			all = append(all, fmt.Sprintf("the calibration is of another %s: %s, here %s", f.what, brief(f.calibrated), brief(f.here)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(h.Library)) {
		if was, is := c.Library.Files[name], h.Library[name]; was != is {
			all = append(all, fmt.Sprintf("the calibration is of another library: %s is %s, here %s", name, brief(was), brief(is)))
			break // one line is enough
		}
	}
	return all
}

// brief shortens hashes.
func brief(s string) string {
	if len(s) == 64 {
		return s[:12]
	}
	if s == "" {
		return "none"
	}
	return s
}
