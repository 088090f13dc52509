package cell

import "fmt"

// PlantedParam is the parameter, of a machine and so of every cell and manifest, of an
// engine whose steps were made longer on purpose, to prove that a gate sees it: the
// share, such as 0.1. An honest engine does not have it.
const PlantedParam = "planted_slowdown"

// plantedViolation makes a cell of such an engine invalid in every report.
func plantedViolation(params map[string]string) []string {
	share, planted := params[PlantedParam]
	if !planted {
		return nil
	}
	return []string{fmt.Sprintf("the engine was slowed on purpose: each step took %s of its own duration longer", share)}
}
