package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Provenance is what a manifest says about where a run comes from, as tables.
func Provenance(m results.Manifest) []Table {
	facts := pairs("What ran, and on what", "", "")
	facts.Name = "provenance"
	add := func(name, value string) {
		if value != "" {
			facts.Rows = append(facts.Rows, []string{name, value})
		}
	}
	add("started", m.StartedAt.UTC().Format(time.RFC3339))
	add("command", strings.Join(m.Command, " "))
	add("cadence-bench", m.Build.Version)
	if m.Build.Commit.OK {
		commit := m.Build.Commit.V
		if m.Build.Dirty.V {
			commit += " with uncommitted changes"
		}
		add("commit", commit)
	}
	add("Go", m.Build.Go)
	add("engine sources, SHA-256", m.EngineSource)
	add("backend", backend(m.Backend))
	if m.Backend == "twin" {
		add("simulated", "the library and the model below, on the machine of the calibration")
	}
	add("library", strings.TrimSpace(m.Library.Version+" "+m.Library.Variant))
	for _, name := range slices.Sorted(maps.Keys(m.Library.Files)) {
		add(name+", SHA-256", m.Library.Files[name])
	}
	if m.Model.File != "" {
		add("model", fmt.Sprintf("%s: %s, %d bytes", m.Model.File, m.Model.Description, m.Model.Bytes))
		add("model, SHA-256", m.Model.SHA256)
	}
	for _, t := range m.Targets {
		add("server "+t.Name, server(t))
	}
	add("machine", machine(m.Host))
	tables := []Table{facts}
	if len(m.Choices) > 0 {
		t := Table{Name: "provenance-choices", Title: "What the tool chose itself", Columns: []Column{{Name: "parameter", Left: true}, {Name: "chosen", Left: true}, {Name: "why", Left: true}}}
		for _, c := range m.Choices {
			t.Rows = append(t.Rows, []string{c.Name, c.Value, c.Why})
		}
		tables = append(tables, t)
	}
	if len(m.Params) > 0 {
		t := pairs("Every parameter", "parameter", "value")
		t.Name = "provenance-parameters"
		for _, name := range slices.Sorted(maps.Keys(m.Params)) {
			if strings.Contains(m.Params[name], "\n") {
				continue // a file's text, which the manifest has and a table cannot show
			}
			t.Rows = append(t.Rows, []string{name, m.Params[name]})
		}
		tables = append(tables, t)
	}
	if len(m.Tapes) > 0 {
		t := Table{Name: "provenance-tapes", Fields: tapeFields(m.Tapes), Title: "Tapes", Columns: []Column{{Name: "workload", Left: true}, {Name: "offered (rps)"}, {Name: "seed"}, {Name: "requests"}, {Name: "SHA-256", Left: true}}}
		for _, p := range m.Tapes {
			t.Rows = append(t.Rows, []string{p.Workload, short(p.OfferedRPS), fmt.Sprint(p.Seed), fmt.Sprint(p.Requests), p.SHA256})
		}
		tables = append(tables, t)
	}
	for i := range tables {
		if tables[i].Name == facts.Name {
			tables[i].Fields = textFields(tables[i], "fact", "value")
		} else if tables[i].Fields == nil {
			var keys []string
			for _, c := range tables[i].Columns {
				keys = append(keys, c.Name)
			}
			tables[i].Fields = textFields(tables[i], keys...)
		}
		tables[i].Title = titled(tables[i].Title, backend(m.Backend))
	}
	return tables
}

// textFields are the cells of a table as they are, under these keys.
func textFields(t Table, keys ...string) []Field {
	fields := make([]Field, len(keys))
	for i, key := range keys {
		fields[i] = table.NewField(key, "", "as in the manifest", t.Rows, func(row []string) any { return table.TextIf(row[i]) })
	}
	return fields
}

func pairs(title, name, value string) Table {
	return Table{Title: title, Columns: []Column{{Name: name, Left: true}, {Name: value, Left: true}}}
}

func server(t results.Target) string {
	parts := []string{t.URL, "API " + t.API}
	for _, part := range [][2]string{{"version ", t.Server}, {"model ", t.Model}, {"file ", t.File}} {
		if part[1] != "" {
			parts = append(parts, part[0]+part[1])
		}
	}
	if t.Slots > 0 {
		parts = append(parts, plural(t.Slots, "slot"))
	}
	if t.Context > 0 {
		parts = append(parts, fmt.Sprintf("context %d", t.Context))
	}
	return strings.Join(parts, ", ")
}

func machine(h results.Host) string {
	parts := []string{h.CPU, plural(h.Cores, "core")}
	if h.CPULimit.OK {
		parts = append(parts, "limited to "+short(h.CPULimit.V)+" cores' time")
	}
	if h.MemoryBytes.OK {
		parts = append(parts, sig3(float64(h.MemoryBytes.V)/(1<<30))+" GiB")
	}
	if h.MemoryLimitBytes.OK {
		parts = append(parts, "limited to "+sig3(float64(h.MemoryLimitBytes.V)/(1<<30))+" GiB")
	}
	if h.Governor.OK {
		parts = append(parts, "governor "+h.Governor.V)
	}
	if h.Load1.OK {
		parts = append(parts, "load average "+short(h.Load1.V)+" before the run")
	}
	return strings.Join(append(parts, strings.TrimSpace(h.OS+"/"+h.Arch+" "+h.Kernel)), ", ")
}

// modelName is how tables call the model: its file without the extension.
// ModelName is what a report calls the model: its file without the extension.
func ModelName(m results.Manifest) string {
	return strings.TrimSuffix(m.Model.File, ".gguf")
}
