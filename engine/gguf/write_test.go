package gguf_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/results"
	"github.com/stretchr/testify/require"
)

func writeTiny(t *testing.T, change func(*gguf.Spec)) string {
	t.Helper()
	spec := gguf.Spec{Shape: tinyShape(), Seed: 1, Corpus: englishLike(1, 20_000)}
	change(&spec)
	path := filepath.Join(t.TempDir(), "tiny.gguf")
	require.NoError(t, gguf.Write(path, spec))
	return path
}

func hashTiny(t *testing.T, change func(*gguf.Spec)) string {
	t.Helper()
	sum, err := results.HashFile(writeTiny(t, change))
	require.NoError(t, err)
	return sum
}

// The bytes of a Spec are part of the contract: a change of these sums needs a
// new SchemaVersion.
func TestWriteIsDeterministic(t *testing.T) {
	require.Equal(t, 1, gguf.SchemaVersion)
	pinned := map[gguf.Type]string{
		gguf.F16:  "0a28e2c85b683ea8dd3bb1469ca7d5f6250ef9647d333869ab895879cdcfef4d",
		gguf.Q8_0: "51776f1d814f0a6a0ca143f403af883ebbe92814fdfedc61df459e8c4fe16858",
		gguf.Q4_0: "c891eb63b40b974b5eb5db616bb3fb3a32c1d7eff24f47ce27ec13fbda1c816a",
	}
	for typ, want := range pinned {
		asType := func(s *gguf.Spec) { s.Type = typ }
		require.Equal(t, want, hashTiny(t, asType), typ)
		procs := runtime.GOMAXPROCS(1)
		one := hashTiny(t, asType)
		runtime.GOMAXPROCS(procs)
		require.Equal(t, want, one, "one processor")
	}
}

func TestWriteDependsOnEveryField(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(*gguf.Spec){
		"as it is": func(*gguf.Spec) {},
		"seed":     func(s *gguf.Spec) { s.Seed = 2 },
		"type":     func(s *gguf.Spec) { s.Type = gguf.Q4_0 },
		"corpus":   func(s *gguf.Spec) { s.Corpus = englishLike(2, 20_000) },
		"biases":   func(s *gguf.Spec) { s.Shape.Arch = "qwen2" },
		"layers":   func(s *gguf.Spec) { s.Shape.Layers = 3 },
	} {
		sum := hashTiny(t, change)
		require.NotContains(t, seen, sum, name)
		seen[sum] = name
	}
	require.Equal(t, hashTiny(t, func(*gguf.Spec) {}), hashTiny(t, func(s *gguf.Spec) { s.Type = gguf.Q8_0 }), "the default type")
}

func TestWriteReplacesAndLeavesNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, gguf.Write(path, gguf.Spec{Shape: tinyShape()}))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	_, err = gguf.Inspect(path)
	require.NoError(t, err)
}

func TestWriteIntoNowhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "such", "m.gguf")
	require.ErrorContains(t, gguf.Write(path, gguf.Spec{Shape: tinyShape()}), "no such file or directory")
	dir := t.TempDir() // a folder cannot be replaced
	err := gguf.Write(dir, gguf.Spec{Shape: tinyShape()})
	require.ErrorContains(t, err, dir)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*.tmp"))
	require.NoError(t, err)
	require.Empty(t, left)
}
