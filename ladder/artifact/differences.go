package artifact

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/results"
)

// Difference is a fact in which an artifact is not what runs.
type Difference struct {
	results.Change
	// Refuses says that bounds of the one mean nothing for the other. A difference that
	// does not is one of speed, which the policy learns on-line, or of what is asked.
	Refuses bool
}

// String names the fact with what it was and is.
func (d Difference) String() string {
	return fmt.Sprintf("its %s was %s, and here it is %s", d.Field, results.Brief(d.Was), results.Brief(d.Is))
}

// refusing are the facts without which a bound means nothing. A calibration is the machine
// that a simulation is of.
var refusing = []string{results.FactBackend, results.FactModel, results.FactLibrary, results.FactSource, "calibration"}

// ofMachine are the facts of a machine that change how fast it is.
var ofMachine = []string{results.FactCPU, results.FactCores, results.FactCPULimit}

// What the fit was of, beside the engine's parameters.
const paramWorkload, paramSLO = "workload", "SLO in seconds"

// origin is what f says, in the form in which it is compared.
func (f *Facts) origin() results.Origin {
	params := map[string]string{paramWorkload: f.Workload}
	for name, v := range f.Setting {
		params[name] = v
	}
	if f.SLOS != 0 {
		params[paramSLO] = fmt.Sprint(f.SLOS)
	}
	return results.Origin{EngineSource: f.EngineSource, Backend: f.Backend, Library: f.Library, Model: f.Model, Host: f.Host, Params: params}
}

// Differences says in which facts an artifact is not of what is here, those that refuse
// it first. A parameter that one of the sides does not know is not compared: it came
// later, or is not chosen yet.
func Differences(was, is Facts) []Difference {
	a, b := was.origin(), is.origin()
	for _, it := range []struct{ params, others map[string]string }{{a.Params, b.Params}, {b.Params, a.Params}} {
		for name := range it.params {
			if it.others[name] == "" {
				delete(it.params, name)
			}
		}
	}
	var all []Difference
	for _, c := range results.Differences(a, b) {
		_, setting := a.Params[c.Field]
		if refuses := slices.Contains(refusing, c.Field); refuses || setting || slices.Contains(ofMachine, c.Field) {
			all = append(all, Difference{c, refuses})
		}
	}
	rank := map[bool]int{true: 0, false: 1}
	slices.SortStableFunc(all, func(x, y Difference) int { return cmp.Compare(rank[x.Refuses], rank[y.Refuses]) })
	return all
}
