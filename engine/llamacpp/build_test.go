package llamacpp_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
)

// fakeTools makes a PATH of only a git, a cmake and a c++ that note how they are called. The
// build copies the libraries of lib, or sleeps while the file slow is in the folder.
func fakeTools(t *testing.T, lib string) (bin string, calls func() string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("shell scripts stand for the tools")
	}
	bin = t.TempDir()
	log := filepath.Join(bin, "calls")
	for name, script := range map[string]string{
		"git": `for last; do :; done; /bin/mkdir "$last"`,
		"cmake": fmt.Sprintf(`[ "$1" = --build ] || exit 0
[ -e %[1]s/slow ] && { echo "[  7%%] Building"; /bin/sleep 60; }
[ -e %[1]s/broken ] && { echo "x.cpp:1: error: no such thing" >&2; exit 2; }
echo "[ 50%%] Building"; echo "[100%%] Built"
/bin/mkdir -p "$2/bin" && /bin/cp -L %[2]s/*.so "$2/bin/"`, bin, lib),
		"c++": "",
	} {
		text := fmt.Sprintf("#!/bin/sh\necho %s \"$@\" >> %s\n%s\n", name, log, script)
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755))
	}
	t.Setenv("PATH", bin)
	t.Setenv("CXX", "")
	return bin, func() string {
		data, _ := os.ReadFile(log)
		_ = os.Remove(log)
		return string(data)
	}
}

func TestBuild(t *testing.T) {
	lib := copyLibrary(t)
	bin, calls := fakeTools(t, lib)
	bundle := filepath.Join(t.TempDir(), "bundle")
	require.NoError(t, os.WriteFile(bundle, []byte("sources"), 0o644))
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte("sources")))
	var log bytes.Buffer
	o := llamacpp.BuildOptions{Cache: t.TempDir(), Bundle: bundle, CMake: []string{"GGML_OPENMP=OFF"}, Log: &log}
	left := func() (names []string) {
		entries, err := os.ReadDir(filepath.Join(o.Cache, "lib"))
		require.NoError(t, err)
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
		return names
	}
	_, err := llamacpp.Locate(llamacpp.Native, o.Cache)
	require.ErrorContains(t, err, "engine build")

	// Interrupted: nothing but the work folder is there, and the next build uses its sources.
	require.NoError(t, os.WriteFile(filepath.Join(bin, "slow"), nil, 0o644))
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	started := time.Now()
	_, err = llamacpp.BuildFrom(ctx, o, hash)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(started), 30*time.Second)
	require.Len(t, left(), 1)
	require.Contains(t, left()[0], ".build-")
	require.Contains(t, log.String(), "compiling: 5%")
	require.NoError(t, os.Remove(filepath.Join(bin, "slow")))

	// A compiler that fails is one line with its reason.
	calls()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "broken"), nil, 0o644))
	_, err = llamacpp.BuildFrom(context.Background(), o, hash)
	require.ErrorContains(t, err, "error: no such thing")
	require.NotContains(t, err.Error(), "\n")
	require.NoError(t, os.Remove(filepath.Join(bin, "broken")))

	calls()
	dir, err := llamacpp.BuildFrom(context.Background(), o, hash)
	require.NoError(t, err)
	got := strings.Split(strings.TrimSpace(calls()), "\n")
	require.Len(t, got, 2, "the sources were there: %v", got)
	require.Contains(t, got[0], "-DGGML_NATIVE=ON")
	require.Contains(t, got[0], "-DGGML_OPENMP=OFF")
	require.Contains(t, got[1], "--target llama ggml")
	require.Contains(t, log.String(), "compiling: 100%")
	require.Equal(t, []string{filepath.Base(dir)}, left())
	found, err := llamacpp.Locate(llamacpp.Native, o.Cache)
	require.NoError(t, err)
	require.Equal(t, dir, found)
	out, _ := loadElsewhere(t, dir)
	require.Equal(t, "<nil>", out)

	// Built is built; a changed file is named with the command that mends it.
	_, err = llamacpp.BuildFrom(context.Background(), o, hash)
	require.NoError(t, err)
	require.Empty(t, calls())
	require.NoError(t, os.WriteFile(filepath.Join(dir, libName("ggml-base")), []byte("x"), 0o644))
	out, _ = loadElsewhere(t, dir)
	require.Contains(t, out, "cadence-bench engine build --force")
}

// TestBuildTriesWhatItMade: libraries that die are not placed; where an instruction is at
// fault they are compiled once more without AMX.
func TestBuildTriesWhatItMade(t *testing.T) {
	_, calls := fakeTools(t, copyLibrary(t))
	bundle := filepath.Join(t.TempDir(), "bundle")
	require.NoError(t, os.WriteFile(bundle, []byte("sources"), 0o644))
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte("sources")))
	var log bytes.Buffer
	var tried []error // what a try says, the next first
	o := llamacpp.BuildOptions{Cache: t.TempDir(), Bundle: bundle, Log: &log, Try: func(_ context.Context, dir string) error {
		require.FileExists(t, filepath.Join(dir, libName("llama")))
		err := tried[0]
		tried = tried[1:]
		return err
	}}
	tried = []error{errors.New("it is mute")}
	_, err := llamacpp.BuildFrom(t.Context(), o, hash)
	require.ErrorContains(t, err, "the compiled libraries do not run: it is mute")
	require.Equal(t, 1, strings.Count(calls(), "--target llama"))

	tried = []error{llamacpp.ErrIllegalInstruction, llamacpp.ErrIllegalInstruction}
	_, err = llamacpp.BuildFrom(t.Context(), o, hash)
	require.ErrorIs(t, err, llamacpp.ErrIllegalInstruction)
	_, err = llamacpp.Locate(llamacpp.Native, o.Cache)
	require.ErrorContains(t, err, "not built yet")
	calls()

	tried = []error{llamacpp.ErrIllegalInstruction, nil}
	dir, err := llamacpp.BuildFrom(t.Context(), o, hash)
	require.NoError(t, err)
	require.DirExists(t, dir)
	require.Contains(t, log.String(), "compiling once more without AMX")
	require.Equal(t, 1, strings.Count(calls(), "-mno-amx-tile -mno-amx-int8 -mno-amx-bf16 -DCMAKE_CXX_FLAGS"))
}

// TestBuildLacks: what is missing is one line that says how to get it.
func TestBuildLacks(t *testing.T) {
	bundle := filepath.Join(t.TempDir(), "bundle")
	require.NoError(t, os.WriteFile(bundle, []byte("other sources"), 0o644))
	for name, c := range map[string]struct {
		without, backend string
		script           map[string]string
		says             []string
	}{
		"git":       {without: "git", says: []string{"needs git", "apt-get install git"}},
		"cmake":     {without: "cmake", says: []string{"needs cmake", "apt-get install cmake"}},
		"compiler":  {without: "c++", says: []string{"needs c++", "apt-get install g++"}},
		"toolkit":   {backend: "cuda", says: []string{"needs nvcc", "CUDA toolkit"}},
		"device":    {backend: "cuda", script: map[string]string{"nvcc": "", "nvidia-smi": "exit 9"}, says: []string{"nvidia-smi -L finds no device"}},
		"Vulkan":    {backend: "vulkan", says: []string{"needs glslc"}},
		"system":    {backend: "metal", says: []string{"none on linux"}},
		"backend":   {backend: "abacus", says: []string{"want cpu, cuda, vulkan or metal"}},
		"the hash":  {says: []string{"SHA-256 differs from the pinned one"}},
		"no bundle": {without: "bundle", says: []string{"npm is not on the PATH", "--bundle"}},
	} {
		t.Run(name, func(t *testing.T) {
			bin, calls := fakeTools(t, t.TempDir())
			o := llamacpp.BuildOptions{Cache: t.TempDir(), Backend: c.backend, Bundle: bundle}
			switch {
			case c.without == "bundle":
				o.Bundle = ""
			case c.without != "":
				require.NoError(t, os.Remove(filepath.Join(bin, c.without)))
			}
			for name, body := range c.script {
				require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
			}
			_, err := llamacpp.Build(context.Background(), o)
			for _, s := range c.says {
				require.ErrorContains(t, err, s)
			}
			require.NotContains(t, err.Error(), "\n")
			require.Empty(t, calls(), "nothing was run")
		})
	}
}
