package results

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A cell of 1,000 requests of 70 output tokens.
func BenchmarkWriteCell(b *testing.B) {
	path, records := filepath.Join(b.TempDir(), "cell.parquet"), load(1000, 70)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, WriteCell(path, testCell(), records))
	}
}

func BenchmarkReadCell(b *testing.B) {
	path := filepath.Join(b.TempDir(), "cell.parquet")
	require.NoError(b, WriteCell(path, testCell(), load(1000, 70)))
	b.ReportAllocs()
	for b.Loop() {
		_, _, err := ReadCell(path)
		require.NoError(b, err)
	}
}
