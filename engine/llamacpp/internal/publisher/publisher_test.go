package publisher_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/internal/publisher"
)

func isLibrary(name string) bool {
	return strings.HasSuffix(name, ".dylib") || strings.HasSuffix(name, ".dll")
}

func tarball(t *testing.T) []byte {
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for name, text := range map[string]string{"llama-b1/libllama.0.dylib": "library", "llama-b1/llama-cli": "tool", "../libescape.dylib": "kept by its name alone"} {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "llama-b1/libllama.dylib", Linkname: "libllama.0.dylib", Typeflag: tar.TypeSymlink}))
	require.NoError(t, w.Close())
	require.NoError(t, gz.Close())
	return b.Bytes()
}

func zipped(t *testing.T) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{"llama.dll": "library", "llama-cli.exe": "tool"} {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// site is a publisher with a release of two archives. spoil may change what it sends.
func site(t *testing.T, spoil func(path string, data []byte) []byte) publisher.Release {
	mac, win := tarball(t), zipped(t)
	manifest := fmt.Sprintf(`{"version": 1, "sources": {"ggml-org/llama.cpp": {"tag": "b1", "assets": {
		"llama-b1-bin-macos-arm64.tar.gz": {"sha256": "%x"}, "llama-b1-bin-win-cpu-x64.zip": {"sha256": "%x"}}}}}`, sha256.Sum256(mac), sha256.Sum256(win))
	files := map[string][]byte{
		"/hybridgroup/llama-cpp-builder/releases/download/v9/v9.json":              []byte(manifest),
		"/ggml-org/llama.cpp/releases/download/b1/llama-b1-bin-macos-arm64.tar.gz": mac,
		"/ggml-org/llama.cpp/releases/download/b1/llama-b1-bin-win-cpu-x64.zip":    win,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[r.URL.Path]
		if data = spoil(r.URL.Path, data); !ok || data == nil {
			http.NotFound(w, r)
			return
		}
		w.Write(data)
	}))
	t.Cleanup(server.Close)
	return publisher.Release{Tag: "v9", Manifest: fmt.Sprintf("%x", sha256.Sum256([]byte(manifest))), Site: server.URL, Client: server.Client()}
}

func asIs(_ string, data []byte) []byte { return data }

func TestFetch(t *testing.T) {
	for platform, want := range map[string][]string{
		"mac-arm64-metal": {"libescape.dylib", "libllama.0.dylib", "libllama.dylib"},
		"win-x64":         {"llama.dll"},
	} {
		dir := t.TempDir()
		require.NoError(t, site(t, asIs).Fetch(context.Background(), platform, dir, isLibrary))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			require.NoError(t, err, "links lead to a file that is there")
			require.NotEmpty(t, data)
		}
		require.Equal(t, want, got, platform)
	}
}

// What differs from its digest, or is not there, is refused by name.
func TestFetchRefuses(t *testing.T) {
	flip := func(part string) func(string, []byte) []byte {
		return func(path string, data []byte) []byte {
			if !strings.Contains(path, part) {
				return data
			}
			data = bytes.Clone(data)
			data[len(data)/2] ^= 1
			return data
		}
	}
	for name, c := range map[string]struct {
		spoil          func(string, []byte) []byte
		platform, want string
	}{
		"manifest changed": {flip("v9.json"), "win-x64", "SHA-256 differs"},
		"archive changed":  {flip(".zip"), "win-x64", "SHA-256 differs"},
		"manifest missing": {func(string, []byte) []byte { return nil }, "win-x64", "404"},
		"not published":    {asIs, "win-arm64", "has no llama-b1-bin-win-cpu-arm64.zip"},
		"unknown platform": {asIs, "plan9-mips", "unknown platform"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			err := site(t, c.spoil).Fetch(context.Background(), c.platform, dir, isLibrary)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
