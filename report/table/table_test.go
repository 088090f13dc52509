package table_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

func TestRendering(t *testing.T) {
	of := table.Table{
		Title: "Title", Caption: "backend=llama.cpp",
		Columns: []table.Column{{Name: "rung", Left: true}, {Name: "value (s)"}},
		Rows:    [][]string{{"fifo", "1.00"}, {"a|b", ">30"}, {"<c>", table.Null}},
		Notes:   []string{"¹ note"},
	}
	require.Equal(t, `**Title**<br>backend=llama.cpp

| rung   | value (s) |
|:-------|----------:|
| fifo   |      1.00 |
| a\|b   |       >30 |
| &lt;c> |         – |

- ¹ note
`, of.Markdown())
	var b strings.Builder
	require.NoError(t, of.Text(&b))
	require.Equal(t, `Title
backend=llama.cpp
  rung  value (s)
  fifo       1.00
  a|b         >30
  <c>           –
  ¹ note
`, b.String())
}

// row is what a column is of.
type row struct {
	name  string
	share results.Opt[float64]
}

func some() []row {
	return []row{{"fifo", results.Some(1.0 / 3)}, {"", results.Some(math.NaN())}, {"static", results.Opt[float64]{}}}
}

// One declaration gives people a formatted figure and machines the figure itself. What
// was not measured is null for both.
func TestColumnsForBothReaders(t *testing.T) {
	of := table.Of("", "", []table.Col{
		table.Text("rung", "rung", "name", some(), func(r row) string { return r.name }),
		table.Number("in time", "in_time_share", "", "share in time", some(), func(r row) results.Opt[float64] {
			return results.Opt[float64]{V: r.share.V, OK: r.share.OK && !math.IsNaN(r.share.V)}
		}, func(v float64) string { return fmt.Sprintf("%.0f%%", 100*v) }),
		table.Left("only to read", []string{"a", "b", "c"}),
		table.Right("two in one", []string{"1 of 2", "–", "–"}).With(
			table.NewField("part", "", "how many", some(), func(row) any { return 1 }), table.NewField("whole", "", "of how many", some(), func(row) any { return 2 })),
	})
	require.Equal(t, "rung,in_time_share,part,whole\nfifo,0.3333333333333333,1,2\n,,1,2\nstatic,,1,2\n", string(of.CSV()))
	require.Equal(t, [][]string{{"fifo", "33%", "a", "1 of 2"}, {"–", "–", "b", "–"}, {"static", "–", "c", "–"}}, of.Rows)
	require.Equal(t, []table.Column{{Name: "rung", Left: true}, {Name: "in time"}, {Name: "only to read", Left: true}, {Name: "two in one"}}, of.Columns)
}

// A table without typed columns gives its cells as they are: no number is read off a text.
func TestCellsStayText(t *testing.T) {
	of := table.Table{Columns: []table.Column{{Name: "what", Left: true}, {Name: "lag (ms)"}}, Rows: [][]string{{"a", "1.50"}, {"b", table.Null}}}
	require.Equal(t, "what,lag (ms)\na,1.50\nb,\n", string(of.CSV()))
}

func TestWithout(t *testing.T) {
	of := table.Table{Columns: []table.Column{{Name: "a"}, {Name: "b"}}, Rows: [][]string{{"1", "2"}}}
	require.Equal(t, [][]string{{"1"}}, of.Without("b").Rows)
	require.Equal(t, of, of.Without("c"))
	require.Len(t, of.Columns, 2, "the table itself stays")
}

func TestEmptyTableHasData(t *testing.T) {
	require.Equal(t, "\n", string(table.Table{}.CSV()))
	data, err := table.Table{Name: "none"}.JSON()
	require.NoError(t, err)
	var e struct {
		Columns []table.Field
		Rows    [][]any
	}
	require.NoError(t, json.Unmarshal(data, &e))
	require.Empty(t, e.Rows)
	require.NotNil(t, e.Columns)
}
