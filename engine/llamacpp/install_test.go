package llamacpp_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/stretchr/testify/require"
)

// fakeNPM puts an npm on the PATH that packs the library that tests use, changed
// by spoil, and counts its runs in a file.
func fakeNPM(t *testing.T, spoil func(name string, data []byte) []byte) (count func() int) {
	t.Helper()
	llamatest.Open(t)
	lib, _ := llamacpp.Loaded()
	platform := string(llamacpp.HostPlatform())
	if runtime.GOOS != "linux" {
		t.Skip("a shell script stands for npm")
	}
	bin := t.TempDir()
	archive := filepath.Join(bin, "package.tgz")
	f, err := os.Create(archive)
	require.NoError(t, err)
	gz, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	require.NoError(t, err)
	tw := tar.NewWriter(gz)
	add := func(name string, data []byte) {
		require.NoError(t, tw.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(data)), Typeflag: tar.TypeReg}))
		_, err := tw.Write(data)
		require.NoError(t, err)
	}
	for _, file := range lib.Files {
		data, err := os.ReadFile(filepath.Join(lib.Dir, file.Name))
		require.NoError(t, err)
		if data = spoil(file.Name, data); data != nil {
			add("package/bins/"+platform+"/"+file.Name, data)
		}
	}
	add("package/bins/"+platform+"/llama-addon.node", []byte("not wanted"))
	add("package/bins/"+platform+"/../../../escape.so", []byte("not wanted"))
	add("package/package.json", []byte("{}"))
	require.NoError(t, tw.Close())
	require.NoError(t, gz.Close())
	require.NoError(t, f.Close())

	runs := filepath.Join(bin, "runs")
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >> %s\ncp %s node-llama-cpp.tgz\n", runs, archive)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o755))
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	return func() int {
		data, _ := os.ReadFile(runs)
		return strings.Count(string(data), "pack")
	}
}

func asIs(_ string, data []byte) []byte { return data }

func TestInstall(t *testing.T) {
	count := fakeNPM(t, asIs)
	t.Setenv(llamacpp.LibEnv, "")
	o := llamacpp.Options{Cache: t.TempDir()}
	install := func() string {
		t.Helper()
		dir, err := llamacpp.Install(context.Background(), o)
		require.NoError(t, err)
		return dir
	}
	dir := install()
	require.Equal(t, filepath.Join(o.Cache, "lib", "llama.cpp-v0.5.0-"+string(llamacpp.HostPlatform())), dir)
	found, err := llamacpp.Locate("", o.Cache)
	require.NoError(t, err)
	require.Equal(t, dir, found)
	out, _ := loadElsewhere(t, dir)
	require.Equal(t, "<nil>", out)
	require.NoFileExists(t, filepath.Join(dir, "llama-addon.node"))
	require.NoFileExists(t, filepath.Join(dir, "escape.so"))

	install()
	require.Equal(t, 1, count(), "what is there and whole is not fetched again")
	o.Force = true
	install()
	require.Equal(t, 2, count())
	o.Force = false
	left, err := os.ReadDir(filepath.Join(o.Cache, "lib"))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing but the library stays")

	// Tampered files are named, with the command that mends them, which does.
	for name, spoil := range map[string]func(path string) error{
		libName("ggml-base"): func(p string) error { // one bit
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			data[len(data)/2] ^= 1
			return os.WriteFile(p, data, 0o644)
		},
		libName("ggml-cpu-x64"): os.Remove,
		libName("evil"):         func(p string) error { return os.WriteFile(p, []byte("x"), 0o644) },
		libName("llama"): func(p string) error { // the link leads elsewhere
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.Symlink("/lib/other.so", p)
		},
		"engine.json": func(p string) error { return os.WriteFile(p, []byte("{"), 0o644) },
	} {
		require.NoError(t, spoil(filepath.Join(dir, name)))
		out, _ := loadElsewhere(t, dir)
		require.Contains(t, out, name)
		require.Contains(t, out, "cadence-bench engine install --force")
		require.NotContains(t, out, "\n")
		install()
		out, _ = loadElsewhere(t, dir)
		require.Equal(t, "<nil>", out, name)
	}
}

// TestInstallTampered: a package whose files are not those pinned is not
// installed.
func TestInstallTampered(t *testing.T) {
	for name, spoil := range map[string]func(string, []byte) []byte{
		"changed": func(name string, data []byte) []byte {
			if strings.HasPrefix(name, "libllama") {
				data[100] ^= 1
			}
			return data
		},
		"missing": func(name string, data []byte) []byte {
			if strings.HasPrefix(name, "libggml-base") {
				return nil
			}
			return data
		},
	} {
		t.Run(name, func(t *testing.T) {
			fakeNPM(t, spoil)
			ctx, cancel := context.WithCancel(context.Background())
			o := llamacpp.Options{Cache: t.TempDir(), Log: writerFunc(func(p []byte) {
				if strings.Contains(string(p), "publisher") {
					cancel() // no network in a test
				}
			})}
			_, err := llamacpp.Install(ctx, o)
			require.ErrorContains(t, err, map[string]string{"changed": "SHA-256 differs", "missing": "is missing"}[name])
			require.NotContains(t, err.Error(), "\n")
			left, err := os.ReadDir(filepath.Join(o.Cache, "lib"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }

// TestInstallAtOnce has several install into one cache, some by force.
func TestInstallAtOnce(t *testing.T) {
	fakeNPM(t, asIs)
	cache := t.TempDir()
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = llamacpp.Install(context.Background(), llamacpp.Options{Cache: cache, Force: i%2 == 0})
		})
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	left, err := os.ReadDir(filepath.Join(cache, "lib"))
	require.NoError(t, err)
	require.Len(t, left, 1)
	out, _ := loadElsewhere(t, filepath.Join(cache, "lib", left[0].Name()))
	require.Equal(t, "<nil>", out)
}
