package docgen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The number of cores is no part of a benchmark's name, whatever it is; a number in the
// name stays.
func TestBenchTable(t *testing.T) {
	for _, cores := range []string{"", "-2", "-16"} {
		table, err := benchTable(strings.NewReader(strings.NewReplacer("-CORES", cores).Replace(`goos: linux
BenchmarkAdmit/blocks-24/hit-CORES   100   250 ns/op   3 B/op
BenchmarkDecode-CORES   50   1500 ns/op   7.5 tok/s
PASS
`)), "bench.txt")
		require.NoError(t, err)
		require.Equal(t, []string{"benchmark", "ns/op", "B/op", "tok/s"}, table.Headings())
		require.Equal(t, [][]string{{"Admit/blocks-24/hit", "250", "3", ""}, {"Decode", "1500", "", "7.5"}}, table.Rows(), "%s", cores)
	}
}
