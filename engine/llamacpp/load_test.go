package llamacpp_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/internal/libffi"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/stretchr/testify/require"
)

// TestMain lets the test binary be a process of its own, for what can happen
// only once in one: with CADENCE_TEST_LOAD it loads that folder, prints the
// error and ends.
func TestMain(m *testing.M) {
	if dir := os.Getenv("CADENCE_TEST_LOAD"); dir != "" {
		err := llamacpp.Load(dir)
		fmt.Println(err)
		if again := llamacpp.Load(dir); (err == nil) != (again == nil) {
			fmt.Println("the second time:", again)
		}
		if err == nil && os.Getenv("CADENCE_TEST_ASSERT") != "" {
			llamacpp.FailAssertion()
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// loadElsewhere loads dir in another process and gives what it printed.
func loadElsewhere(t *testing.T, dir string, env ...string) (out string, code int) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), "CADENCE_TEST_LOAD="+dir), env...)
	b, err := cmd.CombinedOutput()
	if err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return strings.TrimSpace(string(b)), cmd.ProcessState.ExitCode()
}

// copyLibrary copies the library that tests use, without any record, to a new
// folder.
func copyLibrary(t *testing.T) string {
	t.Helper()
	llamatest.Open(t)
	lib, _ := llamacpp.Loaded()
	dir := t.TempDir()
	entries, err := os.ReadDir(lib.Dir)
	require.NoError(t, err)
	for _, e := range entries {
		from, to := filepath.Join(lib.Dir, e.Name()), filepath.Join(dir, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(from)
			require.NoError(t, err)
			require.NoError(t, os.Symlink(target, to))
		case filepath.Ext(from) != ".json":
			data, err := os.ReadFile(from)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(to, data, 0o644))
		}
	}
	return dir
}

func libName(name string) string {
	if runtime.GOOS == "darwin" {
		return "lib" + name + ".dylib"
	}
	return "lib" + name + ".so"
}

// TestBadLibraries: a library that is missing, damaged or another's is one line
// that says so and what to do, never a crash. Each case is a process.
func TestBadLibraries(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file names differ")
	}
	write := func(name string, data []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, libName(name))
			real, err := filepath.EvalSymlinks(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(real, data, 0o644))
		}
	}
	cut := func(name string, share int) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path, err := filepath.EvalSymlinks(filepath.Join(dir, libName(name)))
			require.NoError(t, err)
			fi, err := os.Stat(path)
			require.NoError(t, err)
			require.NoError(t, os.Truncate(path, fi.Size()*int64(share)/100))
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		says  []string
	}{
		"whole":         {func(*testing.T, string) {}, []string{"<nil>"}},
		"no folder":     {func(t *testing.T, dir string) { require.NoError(t, os.RemoveAll(dir)) }, []string{"is not there", "engine install", "--lib"}},
		"no llama":      {func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, libName("llama")))) }, []string{"has no libllama"}},
		"text file":     {write("llama", []byte("not a library\n")), []string{"libllama", "is not a shared library"}},
		"empty file":    {write("ggml-base", nil), []string{"libggml-base", "is not a shared library"}},
		"cut in half":   {cut("llama", 50), []string{"libllama"}},
		"last bit gone": {cut("ggml-base", 97), []string{"libggml-base"}},
		"a symbol is missing": {func(t *testing.T, dir string) {
			data, err := os.ReadFile(filepath.Join(dir, libName("ggml-base")))
			require.NoError(t, err)
			write("llama", data)(t, dir)
		}, []string{"llama_", "needs llama.cpp v0.5.0", "engine install"}},
		"no CPU backend": {func(t *testing.T, dir string) {
			files, err := filepath.Glob(filepath.Join(dir, "libggml-cpu*"))
			require.NoError(t, err)
			for _, f := range files {
				require.NoError(t, os.Remove(f))
			}
		}, []string{"no CPU backend"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyLibrary(t)
			c.spoil(t, dir)
			out, code := loadElsewhere(t, dir)
			require.Zero(t, code, out)
			for _, s := range c.says {
				require.Contains(t, out, s)
			}
			require.NotContains(t, out, "\n")
		})
	}
}

// TestMissingLibFFI hides libffi behind a file that is none; the line comes in
// place of the binding's panic.
func TestMissingLibFFI(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only there it is the system's")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "libffi.so.8"), []byte("none\n"), 0o644))
	out, code := loadElsewhere(t, "x", "LD_LIBRARY_PATH="+dir)
	require.Equal(t, libffi.ExitCode, code)
	require.Contains(t, out, "libffi.so.8")
	require.Contains(t, out, "apt install libffi8")
	require.NotContains(t, out, "\n")
}

// TestAssertion: what was not foreseen and fails inside llama.cpp is a line and
// an exit code, not a stack trace.
func TestAssertion(t *testing.T) {
	llamatest.Open(t)
	lib, _ := llamacpp.Loaded()
	out, code := loadElsewhere(t, lib.Dir, "CADENCE_TEST_ASSERT=1")
	require.Equal(t, llamacpp.AssertExitCode, code)
	require.Contains(t, out, "failed an assertion")
	require.Contains(t, out, "on purpose")
}

func TestBadModels(t *testing.T) {
	m := llamatest.Open(t)
	whole, err := os.ReadFile(m.Info().Path)
	require.NoError(t, err)
	for name, data := range map[string][]byte{
		"empty":     nil,
		"text":      []byte("this is no model\n"),
		"magic":     []byte("GGUF"),
		"header":    whole[:200],
		"no tensor": whole[:len(whole)/50],
		"cut":       whole[:len(whole)*9/10],
		"last byte": whole[:len(whole)-1],
	} {
		path := filepath.Join(t.TempDir(), "model.gguf")
		require.NoError(t, os.WriteFile(path, data, 0o644))
		_, err := llamacpp.OpenModel(path, llamacpp.DefaultPlacement)
		require.ErrorContains(t, err, path, name)
		require.NotContains(t, err.Error(), "\n", name)
	}
	_, err = llamacpp.OpenModel(filepath.Join(t.TempDir(), "none"), llamacpp.DefaultPlacement)
	require.Error(t, err)
	_, err = llamacpp.OpenModel(t.TempDir(), llamacpp.DefaultPlacement)
	require.Error(t, err)
}

func TestLocate(t *testing.T) {
	t.Setenv(llamacpp.LibEnv, "")
	cache, own, env := t.TempDir(), t.TempDir(), t.TempDir()
	_, err := llamacpp.Locate("", cache)
	require.ErrorContains(t, err, "cadence-bench engine install")

	t.Setenv(llamacpp.LibEnv, env)
	dir, err := llamacpp.Locate("", cache)
	require.NoError(t, err)
	require.Equal(t, env, dir)

	dir, err = llamacpp.Locate(own, cache)
	require.NoError(t, err)
	require.Equal(t, own, dir)

	_, err = llamacpp.Locate(filepath.Join(own, "none"), cache)
	require.ErrorContains(t, err, "--lib")
}

// TestInstallOffline: with no npm and no network the error names what failed
// and the way out, and leaves nothing behind.
func TestInstallOffline(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	cache := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := llamacpp.Install(ctx, llamacpp.Options{Cache: cache, Platform: "linux-x64"})
	require.ErrorContains(t, err, "llama.cpp v0.5.0 for linux-x64")
	require.ErrorContains(t, err, "--lib DIR")
	require.NotContains(t, err.Error(), "\n")
	left, err := os.ReadDir(filepath.Join(cache, "lib"))
	require.NoError(t, err)
	require.Empty(t, left)

	_, err = llamacpp.Install(context.Background(), llamacpp.Options{Cache: cache, Platform: "amiga"})
	require.ErrorContains(t, err, "amiga")
}
