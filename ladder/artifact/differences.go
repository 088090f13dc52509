package artifact

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Difference is a fact in which an artifact is not what runs.
type Difference struct {
	What, Was, Is string
	// Refuses says that bounds of the one mean nothing for the other. A difference that
	// does not is one of speed, which the policy learns on-line.
	Refuses bool
}

// String names the fact with what it was and is.
func (d Difference) String() string {
	return fmt.Sprintf("its %s was %s, and here it is %s", d.What, brief(d.Was), brief(d.Is))
}

// settings are the parameters of an engine that a fit depends on. One that is not
// known on one of the sides is not compared: it came later.
var settings = []struct {
	name    string
	refuses bool
}{
	{"calibration", true}, // which machine a simulation is of
	{"kv_layout", false}, {"flash_attn", false}, {"threads", false}, {"threads_batch", false},
}

// Differences says in which facts an artifact is not of what is here, those that refuse
// it first.
func Differences(was, is Facts) []Difference {
	var all []Difference
	add := func(what, was, is string, refuses bool) {
		if was != is {
			all = append(all, Difference{what, was, is, refuses})
		}
	}
	add("backend", was.Backend, is.Backend, true)
	add("model", was.Model.SHA256, is.Model.SHA256, true)
	if was.Library.Version != is.Library.Version || was.Library.Variant != is.Library.Variant {
		add("library", was.Library.Version+" "+was.Library.Variant, is.Library.Version+" "+is.Library.Variant, true)
	} else {
		for _, name := range slices.Sorted(maps.Keys(is.Library.Files)) {
			if a, b := was.Library.Files[name], is.Library.Files[name]; a != b {
				add("library's "+name, a, b, true)
				break // one line is enough
			}
		}
	}
	add("engine source", was.EngineSource, is.EngineSource, true)
	for _, s := range settings {
		a, known := was.Setting[s.name]
		if b, here := is.Setting[s.name]; known && here {
			add(s.name, a, b, s.refuses)
		}
	}
	add("CPU", was.Host.CPU, is.Host.CPU, false)
	add("number of cores", strconv.Itoa(was.Host.Cores), strconv.Itoa(is.Host.Cores), false)
	slices.SortStableFunc(all, func(a, b Difference) int {
		switch {
		case a.Refuses == b.Refuses:
			return 0
		case a.Refuses:
			return -1
		}
		return 1
	})
	return all
}

// brief shortens hashes.
func brief(s string) string {
	switch {
	case s == "":
		return "none"
	case len(s) == 64:
		return s[:12]
	}
	return s
}
