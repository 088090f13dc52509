package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Provenance is what a manifest says about where a run comes from, as tables.
func Provenance(m results.Manifest) []table.Table {
	var facts []pair
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, pair{name, value})
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
	add("backend", caption.Backend(m.Backend))
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
		add("server "+t.Name, t.String())
	}
	add("machine", machine(m.Host))
	tables := []table.Table{pairs("provenance", "What ran, and on what", [2]string{}, "fact", "value", facts)}
	if len(m.Choices) > 0 {
		t := table.New("What the tool chose itself", "", m.Choices,
			asIs("parameter", "parameter", func(c results.Choice) string { return c.Name }),
			asIs("chosen", "chosen", func(c results.Choice) string { return c.Value }),
			asIs("why", "why", func(c results.Choice) string { return c.Why }))
		t.Name = "provenance-choices"
		tables = append(tables, t)
	}
	if len(m.Params) > 0 {
		var params []pair
		for _, name := range slices.Sorted(maps.Keys(m.Params)) {
			if strings.Contains(m.Params[name], "\n") {
				continue // a file's text, which the manifest has and a table cannot show
			}
			params = append(params, pair{name, m.Params[name]})
		}
		tables = append(tables, pairs("provenance-parameters", "Every parameter", [2]string{"parameter", "value"}, "parameter", "value", params))
	}
	if len(m.Tapes) > 0 {
		t := table.New("Tapes", "", m.Tapes,
			table.Text("workload", "workload", "name of the workload", func(t results.Tape) string { return t.Workload }),
			column.Offered(func(t results.Tape) float64 { return t.OfferedRPS }),
			table.Show("seed", func(t results.Tape) string { return fmt.Sprint(t.Seed) }, table.Value("seed", "", "seed of the tape", func(t results.Tape) any { return t.Seed })),
			table.Count("requests", "requests", "requests of the tape", func(t results.Tape) int { return t.Requests }),
			table.Text("SHA-256", "sha256", "SHA-256 of the tape", func(t results.Tape) string { return t.SHA256 }))
		t.Name = "provenance-tapes"
		tables = append(tables, t)
	}
	for i := range tables {
		tables[i].Title = caption.Titled(tables[i].Title, caption.Backend(m.Backend))
	}
	return tables
}

// pair is a name with its value.
type pair struct{ name, value string }

func pairs(name, title string, headings [2]string, nameKey, valueKey string, all []pair) table.Table {
	t := table.New(title, "", all,
		asIs(headings[0], nameKey, func(p pair) string { return p.name }), asIs(headings[1], valueKey, func(p pair) string { return p.value }))
	t.Name = name
	return t
}

// asIs is a column of texts of the manifest.
func asIs[T any](heading, key string, of func(T) string) table.Col[T] {
	return table.Show(heading, of, table.Value(key, "", "as in the manifest", func(record T) any { return of(record) })).Left()
}

func machine(h results.Host) string {
	parts := []string{h.CPU, format.Plural(h.Cores, "core")}
	if h.CPULimit.OK {
		parts = append(parts, "limited to "+format.Short(h.CPULimit.V)+" cores' time")
	}
	if h.MemoryBytes.OK {
		parts = append(parts, format.Sig3(float64(h.MemoryBytes.V)/(1<<30))+" GiB")
	}
	if h.MemoryLimitBytes.OK {
		parts = append(parts, "limited to "+format.Sig3(float64(h.MemoryLimitBytes.V)/(1<<30))+" GiB")
	}
	if h.Governor.OK {
		parts = append(parts, "governor "+h.Governor.V)
	}
	if h.Load1.OK {
		parts = append(parts, "load average "+format.Short(h.Load1.V)+" before the run")
	}
	return strings.Join(append(parts, strings.TrimSpace(h.OS+"/"+h.Arch+" "+h.Kernel)), ", ")
}
