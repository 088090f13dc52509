package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/results"
)

// Difference is something that two manifests do not have in common.
type Difference struct {
	What string `json:"what"`
	A    string `json:"a"` // "" when it is not there
	B    string `json:"b"`
}

// Differences lists what differs between what made two runs: first where they come
// from, then every parameter by name. When they were made, by which command line and
// under what load is not among it.
func Differences(a, b results.Manifest) []Difference {
	var ds []Difference
	add := func(what, x, y string) {
		if x != y {
			ds = append(ds, Difference{what, x, y})
		}
	}
	for _, f := range manifestFacts {
		add(f.what, f.of(a), f.of(b))
	}
	names := maps.Clone(a.Params)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, b.Params)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		add(name, a.Params[name], b.Params[name])
	}
	return ds
}

var manifestFacts = []struct {
	what string
	of   func(results.Manifest) string
}{
	{"commit", func(m results.Manifest) string {
		if m.Build.Dirty.V {
			return m.Build.Commit.V + " with uncommitted changes"
		}
		return m.Build.Commit.V
	}},
	{"cadence-bench", func(m results.Manifest) string { return m.Build.Version }},
	{"Go", func(m results.Manifest) string { return m.Build.Go }},
	{"engine source", func(m results.Manifest) string { return brief(m.EngineSource) }},
	{"backend", func(m results.Manifest) string { return m.Backend }},
	{"library", func(m results.Manifest) string { return strings.TrimSpace(m.Library.Version + " " + m.Library.Variant) }},
	{"library files", libraryFiles},
	{"model", func(m results.Manifest) string { return m.Model.File }},
	{"model, SHA-256", func(m results.Manifest) string { return brief(m.Model.SHA256) }},
	{"servers", func(m results.Manifest) string {
		var all []string
		for _, t := range m.Targets {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s=%s %s %s %s", t.Name, t.URL, t.API, t.Model, t.Server)))
		}
		return strings.Join(all, ", ")
	}},
	{"CPU", func(m results.Manifest) string { return m.Host.CPU }},
	{"cores", func(m results.Manifest) string { return fmt.Sprint(m.Host.Cores) }},
	{"CPU limit", func(m results.Manifest) string { return told(m.Host.CPULimit) }},
	{"memory", func(m results.Manifest) string { return told(m.Host.MemoryBytes) }},
	{"memory limit", func(m results.Manifest) string { return told(m.Host.MemoryLimitBytes) }},
	{"governor", func(m results.Manifest) string { return m.Host.Governor.V }},
	{"system", func(m results.Manifest) string {
		return strings.TrimSpace(m.Host.OS + "/" + m.Host.Arch + " " + m.Host.Kernel)
	}},
}

func told[T any](v results.Opt[T]) string {
	if !v.OK {
		return ""
	}
	return fmt.Sprint(v.V)
}

// brief shortens a hash to what tells it from others at a glance.
func brief(hash string) string { return hash[:min(12, len(hash))] }

// libraryFiles names the loaded files by one hash.
func libraryFiles(m results.Manifest) string {
	if len(m.Library.Files) == 0 {
		return ""
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.Library.Files)) {
		fmt.Fprintln(&all, name, m.Library.Files[name])
	}
	return fmt.Sprintf("%d, SHA-256 of all %s", len(m.Library.Files), brief(results.HashBytes([]byte(all.String()))))
}
