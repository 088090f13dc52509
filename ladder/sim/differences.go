package sim

import (
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/results"
)

// Differences says, in one line for each fact that differs, how a calibration is of
// something else than what is at hand. What is not at hand does not differ.
func Differences(c results.Calibration, here results.Origin) []string {
	calibrated := results.Origin{EngineSource: c.EngineSource, Library: c.Library, Model: c.Model, Host: c.Host}
	here.Library.Version, here.Library.Variant = c.Library.Version, c.Library.Variant // known by their files
	if here.Library.Files == nil {
		here.Library.Files = c.Library.Files
	}
	var all []string
	for _, d := range results.Differences(calibrated, here) {
		if d.Is != "" && slices.Contains([]string{results.FactCPU, results.FactCores, results.FactModel, results.FactSource, results.FactLibrary}, d.Field) {
			all = append(all, fmt.Sprintf("the calibration is of another %s: %s, here %s", d.Field, results.Brief(d.Was), results.Brief(d.Is)))
		}
	}
	return all
}
