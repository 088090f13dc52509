package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/report/compared"
	"github.com/cadence-bench/cadence-bench/results"
)

// arms are two rungs of one sweep whose cells replayed a tape per rate and seed.
func arms(f fixture, a, b string) (compare.Arm, compare.Arm) {
	s := f.sweep()
	for i := range s.Cells {
		c := &s.Cells[i].Cell
		c.TapeHash = fmt.Sprintf("%g-%d", c.OfferedRPS, c.Seed)
	}
	arm := func(rung string) compare.Arm {
		return compare.Arm{Name: "run:" + rung, Sweep: s, Rung: rung, Records: f.load}
	}
	return arm(a), arm(b)
}

func comparison(t *testing.T, f fixture, a, b string) *compare.Comparison {
	left, right := arms(f, a, b)
	c, err := compare.Arms(left, right, compare.Contrasts())
	require.NoError(t, err)
	return c
}

func TestComparisonGolden(t *testing.T) {
	f := fiveRungs()
	f.rates = []float64{1.2, 4.5}
	c := comparison(t, f, "static", "prefix")
	var text, markdown strings.Builder
	for _, table := range compared.Of(c, manifest("llama.cpp"), manifest("llama.cpp")).All() {
		require.NoError(t, table.Text(&text))
		text.WriteString("\n")
		markdown.WriteString(table.Markdown())
	}
	golden.Equal(t, "compare.txt", text.String())
	require.Contains(t, markdown.String(), "**B against A, metric by metric**<br>backend=llama.cpp")
	require.Contains(t, text.String(), "measured in one sweep, in turn")
}

// TestDifferentSweepsWarn: what the machine did between them is not hidden, and a
// simulation says that it is one.
func TestDifferentSweepsWarn(t *testing.T) {
	for backend, want := range map[string]string{
		"llama.cpp": "WARNING: A and B were not interleaved", "twin": "a simulated machine does not change in between",
	} {
		f := fiveRungs()
		f.rates, f.backend = []float64{1.2}, backend
		a, _ := arms(f, "static", "prefix")
		_, b := arms(f, "static", "prefix")
		for i := range b.Sweep.Cells {
			b.Sweep.Cells[i].SLOS = 3
		}
		c, err := compare.Arms(a, b, compare.Contrasts()[:1])
		require.NoError(t, err)
		other := manifest(backend)
		other.EngineSource = "another"
		tables := compared.Of(c, manifest(backend), other).All()
		notes := ""
		for _, table := range tables {
			notes += strings.Join(table.Notes, "\n")
			require.Equal(t, backend == "twin", strings.Contains(table.Title, "backend=twin (simulated)"), table.Title)
		}
		require.Contains(t, notes, want)
		require.Contains(t, notes, "both are judged by the stricter one")
		require.Contains(t, fmt.Sprint(tables[0].Rows()), "another")
	}
}

func TestComparisonAsData(t *testing.T) {
	f := fiveRungs()
	f.rates = []float64{1.2, 6}
	c := comparison(t, f, "fifo", "conformal-95")
	record := compared.RecordOf(c, manifest("llama.cpp"), manifest("llama.cpp"))
	data, err := json.Marshal(record)
	require.NoError(t, err)
	var back compared.Record
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, record, back)
	rows, err := csv.NewReader(strings.NewReader(string(compared.Of(c, manifest("llama.cpp"), manifest("llama.cpp")).Deltas.CSV()))).ReadAll()
	require.NoError(t, err)
	n := 1
	for _, p := range c.Points {
		n += len(p.Deltas)
	}
	require.Len(t, rows, n)
	require.Equal(t, results.SchemaVersion, back.Schema)
}
