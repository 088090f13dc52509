package results

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Origin is what made a measurement and on what it was made. Whoever must know whether two
// measurements, or a measurement and what is here now, are of one kind compares these.
type Origin struct {
	Build        Build
	EngineSource string
	Backend      string
	Library      Library
	Model        Model
	Targets      []Target
	Host         Host
	Params       map[string]string
}

// Origin is what made the run, as it began.
func (m *Manifest) Origin() Origin {
	return Origin{m.Build, m.EngineSource, m.Backend, m.Library, m.Model, m.Targets, m.Host, m.Params}
}

// Change is a fact that differs: what one side has, and what the other.
type Change struct {
	Field string `json:"field"`
	Was   string `json:"was"`
	Is    string `json:"is"`
}

// String gives the change in words, as in "its CPU was A and is now B".
func (c Change) String() string {
	return fmt.Sprintf("its %s was %s and is now %s", c.Field, Brief(c.Was), Brief(c.Is))
}

// Brief is a fact for a message: a hash is shortened to what tells it from others at a
// glance, and one that is not there is unknown.
func Brief(fact string) string {
	switch {
	case fact == "":
		return "unknown"
	case len(fact) == 64:
		return fact[:12]
	}
	return fact
}

// The names of facts by which those who compare tell them apart.
const (
	FactSource   = "engine source"
	FactBackend  = "backend"
	FactLibrary  = "library"
	FactModel    = "model"
	FactCPU      = "CPU"
	FactCores    = "number of cores"
	FactCPULimit = "CPU limit"
	FactGovernor = "governor"
	FactSystem   = "system"

	factMemory = "memory"
)

// facts are those that every origin has, in the order in which they are named.
var facts = []struct {
	name string
	of   func(*Origin) string
}{
	{"commit", func(o *Origin) string {
		if o.Build.Commit.OK && o.Build.Dirty.V {
			return o.Build.Commit.V + " with uncommitted changes"
		}
		return o.Build.Commit.V
	}},
	{"cadence-bench", func(o *Origin) string { return o.Build.Version }},
	{"Go", func(o *Origin) string { return o.Build.Go }},
	{FactSource, func(o *Origin) string { return o.EngineSource }},
	{FactBackend, func(o *Origin) string { return o.Backend }},
	{FactLibrary, func(o *Origin) string { return strings.TrimSpace(o.Library.Version + " " + o.Library.Variant) }},
	{FactModel, func(o *Origin) string { return o.Model.SHA256 }},
	{FactCPU, func(o *Origin) string { return o.Host.CPU }},
	{FactCores, func(o *Origin) string { return fmt.Sprint(o.Host.Cores) }},
	{FactCPULimit, func(o *Origin) string { return stated(o.Host.CPULimit) }},
	{factMemory, func(o *Origin) string { return stated(o.Host.MemoryBytes) }},
	{"memory limit", func(o *Origin) string { return stated(o.Host.MemoryLimitBytes) }},
	{FactGovernor, func(o *Origin) string { return o.Host.Governor.V }},
	{FactSystem, func(o *Origin) string { return strings.TrimSpace(o.Host.OS + "/" + o.Host.Arch + " " + o.Host.Kernel) }},
}

func stated[T any](v Opt[T]) string {
	if !v.OK {
		return ""
	}
	return fmt.Sprint(v.V)
}

// Differences names every fact in which two origins differ: program, engine and model
// first, then the machine, servers by name, and parameters by theirs. A fact that one side
// does not have is "" there.
func Differences(was, is Origin) []Change {
	var all []Change
	add := func(field, a, b string) {
		if a != b {
			all = append(all, Change{field, a, b})
		}
	}
	for _, f := range facts {
		a, b := f.of(&was), f.of(&is)
		switch {
		case f.name == factMemory && alike(was.Host.MemoryBytes, is.Host.MemoryBytes):
		case f.name == FactLibrary && a == b:
			x, y := otherFiles(was.Library.Files, is.Library.Files)
			add(f.name, a+x, b+y)
		default:
			add(f.name, a, b)
		}
	}
	servers := func(o *Origin) map[string]string {
		by := map[string]string{}
		for _, t := range o.Targets {
			by[t.Name] = t.String()
		}
		return by
	}
	for name, pair := range paired(servers(&was), servers(&is)) {
		add("server "+name, pair[0], pair[1])
	}
	for name, pair := range paired(was.Params, is.Params) {
		add(name, pair[0], pair[1])
	}
	return all
}

// paired gives the values of both sides under each name, by name.
func paired(a, b map[string]string) func(func(string, [2]string) bool) {
	names := map[string]bool{}
	for _, side := range []map[string]string{a, b} {
		for name := range side {
			names[name] = true
		}
	}
	return func(yield func(string, [2]string) bool) {
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !yield(name, [2]string{a[name], b[name]}) {
				return
			}
		}
	}
}

// otherFiles lists the files of one library that are not those of the other.
func otherFiles(a, b map[string]string) (was, is string) {
	var x, y []string
	for name, sums := range paired(a, b) {
		if sums[0] != sums[1] {
			x, y = append(x, name+" "+Brief(sums[0])), append(y, name+" "+Brief(sums[1]))
		}
	}
	if x == nil {
		return "", ""
	}
	return " (" + strings.Join(x, ", ") + ")", " (" + strings.Join(y, ", ") + ")"
}

// alike says whether two sizes of memory are of one machine: what a kernel keeps for
// itself differs a little from one start to the next.
func alike(a, b Opt[int64]) bool {
	return a.OK == b.OK && max(a.V, b.V)-min(a.V, b.V) <= a.V/100
}

// String is what a server was asked and what it says of itself.
func (t Target) String() string {
	parts := []string{t.URL, "API " + t.API}
	for _, part := range [][2]string{{"version ", t.Server}, {"model ", t.Model}, {"file ", t.File}} {
		if part[1] != "" {
			parts = append(parts, part[0]+part[1])
		}
	}
	if t.Slots > 0 {
		parts = append(parts, fmt.Sprintf("%d slots", t.Slots))
	}
	if t.Context > 0 {
		parts = append(parts, fmt.Sprintf("context %d", t.Context))
	}
	if len(t.Models) > 0 {
		parts = append(parts, "models "+strings.Join(t.Models, " "))
	}
	return strings.Join(parts, ", ")
}
