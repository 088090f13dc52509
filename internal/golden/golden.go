// Package golden compares what a test made with a file that a person has read.
//
// go test ./PACKAGE -rewrite writes the files anew; read the difference before you
// commit it.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files in testdata")

// Rewriting says whether -rewrite is given, for tests with files of several cases.
func Rewriting() bool { return *rewrite }

// Equal fails the test unless got is what testdata/name holds.
func Equal(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *rewrite {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test -rewrite makes it")
	require.Equal(t, string(want), got, "go test -rewrite accepts it")
}
