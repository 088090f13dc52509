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
	of := table.New("Title", "backend=llama.cpp", [][2]string{{"fifo", "1.00"}, {"a|b", ">30"}, {"<c>", table.Null}},
		table.Show("rung", func(r [2]string) string { return r[0] }).Left(), table.Show("value (s)", func(r [2]string) string { return r[1] }))
	of.Notes = []string{"¹ note"}
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
	of := table.New("", "", some(),
		table.Text("rung", "rung", "name", func(r row) string { return r.name }),
		table.Optional("in time", "in_time_share", "", "share in time", func(r row) results.Opt[float64] {
			return results.Opt[float64]{V: r.share.V, OK: r.share.OK && !math.IsNaN(r.share.V)}
		}, func(v float64) string { return fmt.Sprintf("%.0f%%", 100*v) }),
		table.Show("only to read", func(r row) string { return "=" + r.name }).Left(),
		table.Show("two in one", func(r row) string { return "1 of 2" },
			table.Value("part", "", "how many", func(row) any { return 1 }), table.Value("whole", "", "of how many", func(row) any { return 2 })),
		table.Value("only_for_machines", "", "a number", func(row) any { return 3 }))
	require.Equal(t, "rung,in_time_share,part,whole,only_for_machines\nfifo,0.3333333333333333,1,2,3\n,,1,2,3\nstatic,,1,2,3\n", string(of.CSV()))
	require.Equal(t, [][]string{{"fifo", "33%", "=fifo", "1 of 2"}, {"–", "–", "=", "1 of 2"}, {"static", "–", "=static", "1 of 2"}}, of.Rows())
	require.Equal(t, []string{"rung", "in time", "only to read", "two in one"}, of.Headings())
}

// Readers may see one row for several records, which machines get one by one.
func TestGroupedRecords(t *testing.T) {
	type goodput struct {
		rung      string
		rate, rps float64
	}
	all := []goodput{{"fifo", 1, 0.5}, {"fifo", 2, 0.25}, {"static", 1, 1}, {"static", 2, 2}}
	at := func(i int) table.Col[goodput] {
		return table.Across(fmt.Sprint(all[i].rate), func(row []goodput) string { return fmt.Sprint(row[i].rps) })
	}
	of := table.Grouped("", "", all, [][]goodput{all[:2], all[2:]},
		table.Text("rung", "rung", "name", func(g goodput) string { return g.rung }),
		table.Value("offered_rps", "1/s", "rate", func(g goodput) any { return g.rate }),
		table.Value("goodput_rps", "1/s", "goodput", func(g goodput) any { return g.rps }), at(0), at(1))
	require.Equal(t, [][]string{{"fifo", "0.5", "0.25"}, {"static", "1", "2"}}, of.Rows())
	require.Equal(t, "rung,offered_rps,goodput_rps\nfifo,1,0.5\nfifo,2,0.25\nstatic,1,1\nstatic,2,2\n", string(of.CSV()))
}

// Where there is nothing to tell, neither readers nor machines are told anything.
func TestWhere(t *testing.T) {
	positive := func(v float64) bool { return v > 0 }
	of := table.New("", "", []float64{2, 0},
		table.Number("root", "root", "", "a root", math.Sqrt, func(v float64) string { return fmt.Sprintf("%.1f", v) }).Where(positive),
		table.Show("both", func(v float64) string { return fmt.Sprint(v, 1/v) },
			table.Value("inverse", "", "of it", func(v float64) any { return 1 / v })).Where(positive),
		table.Value("logarithm", "", "finite or null", func(v float64) any { return math.Log(v) }))
	require.Equal(t, [][]string{{"1.4", "2 0.5"}, {"–", "–"}}, of.Rows())
	require.Equal(t, "root,inverse,logarithm\n1.4142135623730951,0.5,0.6931471805599453\n,,\n", string(of.CSV()))
}

// No number is read off a text: a column without a key is for readers alone.
func TestTextsAreNoData(t *testing.T) {
	of := table.New("", "", []float64{1.5}, table.Show("lag (ms)", func(v float64) string { return fmt.Sprintf("%.2f", v) }))
	require.Equal(t, [][]string{{"1.50"}}, of.Rows())
	require.Equal(t, "\n", string(of.CSV()))
}

// What readers see, and in which order, is chosen by key; machines get all of it as before.
func TestShown(t *testing.T) {
	count := func(key string, n int) table.Col[int] {
		return table.Count(key+"!", key, "a count", func(int) int { return n })
	}
	of := table.New("", "", []int{0}, count("a", 1), count("b", 2), count("c", 3))
	require.Equal(t, [][]string{{"1", "3"}}, of.Hidden("b").Rows())
	require.Equal(t, []string{"c!", "a!"}, of.Shown("c", "none", "a").Headings())
	require.Equal(t, of.CSV(), of.Shown("c").CSV())
	require.Len(t, of.Rows()[0], 3, "the table itself stays")
}

func TestEmptyTableHasData(t *testing.T) {
	require.Equal(t, "\n", string(table.Table{}.CSV()))
	data, err := table.Table{Name: "none"}.JSON()
	require.NoError(t, err)
	var e struct {
		Columns []table.Column
		Rows    [][]any
	}
	require.NoError(t, json.Unmarshal(data, &e))
	require.Empty(t, e.Rows)
	require.NotNil(t, e.Columns)
}
