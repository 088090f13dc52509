package results

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"testing/fstest"
	"time"

	"io/fs"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/golden"
)

func testManifest() Manifest {
	return Manifest{
		Schema:    SchemaVersion,
		StartedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Command:   []string{"ladder", "--preset", "quick"},
		Build:     Build{Version: "v1.0.0", Commit: Some("0123abc"), Dirty: Some(false), Go: "go1.26.0"},
		Backend:   "llama.cpp", EngineSource: "aa",
		Library: Library{Version: "llama.cpp v0.5.0", Variant: "skylakex", Files: map[string]string{"libllama.so": "bb", "libggml.so": "cc"}},
		Model:   Model{File: "cadence-30m-q8_0.gguf", Bytes: 29, SHA256: "dd", Description: "llama 27M Q8_0"},
		Host:    Host{OS: "linux", Arch: "amd64", Kernel: "6.1", CPU: "unknown", Cores: 2, MemoryBytes: Some(int64(8 << 30))},
		Tapes:   []Tape{{Workload: "mixed", OfferedRPS: 1.5, Seed: 1, Requests: 90, SHA256: "ee"}},
		Params:  map[string]string{"timeout": "120s", "slo": "4.5s", "duration": "60s"},
		Choices: []Choice{{"slo", "4.5s", "the 0.9 quantile of the unloaded E2E"}},
		Plan:    []Key{{Rung: "fifo", OfferedRPS: 1.5, Seed: 1}, {Rung: "static", OfferedRPS: 1.5, Seed: 1}},
	}
}

func TestManifest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest.json")
	require.NoError(t, WriteManifest(path, testManifest()))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	golden.Equal(t, "manifest.json", string(data))
	got, err := ReadManifest(path)
	require.NoError(t, err)
	require.Equal(t, testManifest(), got)
}

func TestReadManifestRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest.json")
	for text, want := range map[string]string{
		"":                         "unexpected end of JSON input",
		`{"schema":1,"host":"me"}`: "cannot unmarshal",
		`{"schema":9}`:             "schema 9; this version of cadence-bench reads schema 1",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := ReadManifest(path)
		require.ErrorContains(t, err, "read "+path+": ")
		require.ErrorContains(t, err, want)
	}
}

func TestBuildOf(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Settings: []debug.BuildSetting{
		{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123abc"}, {Key: "vcs.modified", Value: "true"},
	}}
	require.Equal(t, Build{Version: "(devel)", Commit: Some("0123abc"), Dirty: Some(true), Go: "go1.26.0"}, buildOf(info))
	require.Equal(t, Build{Version: "v1.2.3"}, buildOf(&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}))
	require.NotEmpty(t, BuildInfo().Go)
}

func TestSourceHash(t *testing.T) {
	hash := func(change func(engine, kv fstest.MapFS)) string {
		engine := fstest.MapFS{"a.go": {Data: []byte("a")}, "clock/wall.go": {Data: []byte("w")}, "a_test.go": {Data: []byte("t")}}
		kv := fstest.MapFS{"pool.go": {Data: []byte("p")}}
		change(engine, kv)
		sum, err := SourceHash(map[string]fs.FS{"engine": engine, "kv": kv})
		require.NoError(t, err)
		return sum
	}
	base := hash(func(fstest.MapFS, fstest.MapFS) {})
	require.Equal(t, base, hash(func(engine, _ fstest.MapFS) {
		engine["a_test.go"].Data = []byte("other test")
		engine["README.md"] = &fstest.MapFile{}
	}))
	for name, change := range map[string]func(engine, kv fstest.MapFS){
		"content": func(engine, _ fstest.MapFS) { engine["clock/wall.go"].Data = []byte("x") },
		"added":   func(_, kv fstest.MapFS) { kv["tree.go"] = &fstest.MapFile{} },
		"renamed": func(_, kv fstest.MapFS) { kv["pools.go"] = kv["pool.go"]; delete(kv, "pool.go") },
		"moved":   func(engine, kv fstest.MapFS) { engine["pool.go"] = kv["pool.go"]; delete(kv, "pool.go") },
	} {
		require.NotEqual(t, base, hash(change), name)
	}
}
