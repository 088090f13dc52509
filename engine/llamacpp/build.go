package llamacpp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/internal/compile"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/internal/npm"
	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// Native is what --lib and CADENCE_LIB call the libraries that Build made for the CPU;
// those for a GPU are native-cuda, native-vulkan and native-metal.
const Native = "native"

const sourceBuild = "build"

// BuildOptions says what Build compiles.
type BuildOptions struct {
	Cache   string
	Backend string    // cpu, cuda, vulkan or metal; "" is cpu
	CMake   []string  // further settings of cmake, such as GGML_OPENMP=OFF
	Bundle  string    // the git bundle of the sources; "" fetches it with npm
	Force   bool      // compile again although it is there and whole
	Log     io.Writer // progress
	// Try runs the libraries in a folder in a process of its own, before they are placed;
	// nil trusts the compiler. It wraps ErrIllegalInstruction where the process died so.
	Try func(ctx context.Context, dir string) error
}

// ErrIllegalInstruction says that code was compiled for a processor with more instructions
// than this machine grants: a virtual machine may name AMX among its processor's and not let
// anybody use its tiles.
var ErrIllegalInstruction = errors.New("illegal instruction")

// withoutAMX compiles for this processor without its matrix tiles.
var withoutAMX = []string{"CMAKE_C_FLAGS=-mno-amx-tile -mno-amx-int8 -mno-amx-bf16", "CMAKE_CXX_FLAGS=-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"}

// nativePlatform is the name of the libraries that are built for a backend.
func nativePlatform(backend string) Platform {
	if backend == "cpu" {
		return Native
	}
	return Platform(Native + "-" + backend)
}

// isNative reports whether a user means libraries of Build by this name.
func isNative(name string) bool { return name == Native || strings.HasPrefix(name, Native+"-") }

// Build compiles Release for this machine and gives the folder of its libraries. The
// sources come from an npm package and are checked against a pinned hash. The work is done
// in a folder of the cache: a build that is interrupted goes on from there. The libraries
// are placed as Install places them, whole or not at all.
func Build(ctx context.Context, o BuildOptions) (dir string, err error) {
	return build(ctx, o, compile.BundleSHA256)
}

func build(ctx context.Context, o BuildOptions, bundleHash string) (dir string, err error) {
	if o.Backend == "" {
		o.Backend = "cpu"
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("build engine: %w", err)
		}
	}()
	if err := compile.Check(ctx, o.Backend); err != nil {
		return "", err
	}
	platform, own := nativePlatform(o.Backend), o.CMake
	dir, err = o.make(ctx, platform, compile.Flags(o.Backend, own), bundleHash)
	if errors.Is(err, ErrIllegalInstruction) && runtime.GOARCH == "amd64" && o.Backend == "cpu" {
		fmt.Fprintf(o.Log, "the libraries die here: %v; compiling once more without AMX\n", err)
		return o.make(ctx, platform, compile.Flags(o.Backend, slices.Concat(withoutAMX, own)), bundleHash)
	}
	return dir, err
}

// make compiles with flags, tries the libraries and places them.
func (o *BuildOptions) make(ctx context.Context, platform Platform, flags []string, bundleHash string) (dir string, err error) {
	if dir, err = filepath.Abs(installDir(o.Cache, platform)); err != nil {
		return "", err
	}
	if rec, err := readRecord(dir); err == nil && rec != nil && slices.Equal(rec.Flags, flags) && whole(dir) && !o.Force {
		return dir, nil
	}
	key := sha256.Sum256([]byte(bundleHash + strings.Join(flags, "\n")))
	work := filepath.Join(filepath.Dir(dir), fmt.Sprintf(".build-%x", key[:6]))
	if err := os.MkdirAll(work, 0o755); err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(filepath.Dir(dir), ".build.lock"))
	if taken, err := lock.TryLock(); err != nil || !taken {
		return "", fmt.Errorf("another process builds in %s: wait for its end", filepath.Dir(dir))
	}
	defer lock.Close()
	bundle := o.Bundle
	if bundle == "" {
		if bundle, err = fetchBundle(ctx, work, bundleHash, o.Log); err != nil {
			return "", err
		}
	}
	if err := compile.Verify(bundle, bundleHash); err != nil {
		return "", err
	}
	if bundle, err = filepath.Abs(bundle); err != nil {
		return "", err
	}
	outs, err := compile.Run(ctx, bundle, work, flags, o.Log)
	if err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".install-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := collect(outs, tmp); err != nil {
		return "", err
	}
	files, err := hashLibraries(tmp)
	if err != nil {
		return "", err
	}
	if err := (&record{Release, platform, sourceBuild, files, flags}).write(tmp); err != nil {
		return "", err
	}
	if _, err := inspect(tmp); err != nil {
		return "", err
	}
	if o.Try != nil {
		fmt.Fprintln(o.Log, "trying them")
		if err := o.Try(ctx, tmp); err != nil {
			return "", fmt.Errorf("the compiled libraries do not run: %w", err)
		}
	}
	if err := place(tmp, dir, true); err != nil {
		return "", err
	}
	return dir, os.RemoveAll(work)
}

// fetchBundle gives the bundle in the folder work, which it fetches unless it is there.
func fetchBundle(ctx context.Context, work, hash string, log io.Writer) (string, error) {
	if file := filepath.Join(work, "gitRelease.bundle"); compile.Verify(file, hash) == nil {
		return file, nil
	} else if err := os.RemoveAll(file); err != nil {
		return "", err
	}
	if !npm.Available() {
		return "", fmt.Errorf("npm is not on the PATH: install Node.js, or give llama/gitRelease.bundle of %s with --bundle FILE", npm.Sources)
	}
	fmt.Fprintf(log, "fetching %s with npm\n", npm.Sources)
	return npm.FetchSources(ctx, work)
}

// collect copies the libraries of the folders to dir.
func collect(from []string, dir string) error {
	for _, folder := range from {
		entries, err := os.ReadDir(folder)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !isLibrary(e.Name()) {
				continue
			}
			data, err := regular.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, e.Name()), data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
