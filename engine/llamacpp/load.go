package llamacpp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/hybridgroup/yzma/pkg/llama"
)

// Library is what Load found.
type Library struct {
	Dir     string
	Pinned  bool       // installed by Install and equal to what it recorded
	Files   []FileHash // every library file, by name
	Version string     // llama.cpp's own, for example "0.5.0"
	Commit  string     // the commit it was built from
	GGML    string     // ggml's own version
}

// mend is the advice that ends the errors about an installed library.
const mend = "run `cadence-bench engine install --force`"

var loaded struct {
	sync.Mutex
	lib    Library
	native *native
	failed error
}

// Load opens the libraries in dir, checks them and makes their backends ready.
// It does so once per process: again with the same folder it does nothing, with
// another it is an error, and after a failure it gives the same error again,
// because half-loaded libraries cannot be unloaded.
//
// A folder that Install made is checked against its pins. Any other is the
// user's own build: it must be whole, for this machine, and say that it is
// Release.
func Load(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.native != nil {
		if loaded.lib.Dir != dir {
			return fmt.Errorf("engine library %s: this process already runs the one in %s; start another process for it", dir, loaded.lib.Dir)
		}
		return nil
	}
	if loaded.failed != nil {
		return loaded.failed
	}
	lib, err := inspect(dir)
	if err != nil {
		return err
	}
	n, err := open(&lib)
	if err != nil {
		loaded.failed = err
		return err
	}
	loaded.lib, loaded.native = lib, n
	return nil
}

// Loaded describes the library that Load opened; ok is false before that.
func Loaded() (lib Library, ok bool) {
	loaded.Lock()
	defer loaded.Unlock()
	return loaded.lib, loaded.native != nil
}

func theNative() (*native, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.native == nil {
		return nil, errors.New("engine library is not loaded: call llamacpp.Load first")
	}
	return loaded.native, nil
}

// inspect looks at the files of dir without opening any as a library.
func inspect(dir string) (Library, error) {
	lib := Library{Dir: dir}
	fi, err := os.Stat(dir)
	if err != nil || !fi.IsDir() {
		return lib, fmt.Errorf("engine library folder %s is not there; run `cadence-bench engine install`, or name a llama.cpp %s build with --lib DIR or CADENCE_LIB", dir, Release)
	}
	rec, err := readRecord(dir)
	if err != nil {
		return lib, err
	}
	if rec != nil {
		if lib.Files, err = rec.verify(dir); err != nil {
			return lib, err
		}
		lib.Pinned = true
	} else if lib.Files, err = hashLibraries(dir); err != nil {
		return lib, fmt.Errorf("engine library %s: %w", dir, err)
	}
	for _, name := range needed {
		file := fileName(runtime.GOOS, name)
		if fi, err := os.Stat(filepath.Join(dir, file)); err != nil || !fi.Mode().IsRegular() {
			return lib, fmt.Errorf("engine library %s has no %s: it is not a folder of llama.cpp %s shared libraries (a build needs -DBUILD_SHARED_LIBS=ON)", dir, file, Release)
		}
	}
	for _, f := range lib.Files {
		if err := checkImage(filepath.Join(dir, f.Name)); err != nil {
			return lib, fmt.Errorf("engine library %s: %w", dir, err)
		}
	}
	return lib, nil
}

// open loads the libraries and fills in their versions.
func open(lib *Library) (n *native, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = nil, fmt.Errorf("engine library %s: the binding failed to load it: %v", lib.Dir, p)
		}
	}()
	if err := llama.Load(lib.Dir); err != nil {
		return nil, wrongVersion(lib.Dir, err)
	}
	if n, err = bindNative(lib.Dir); err != nil {
		return nil, wrongVersion(lib.Dir, err)
	}
	lib.Version, lib.GGML, lib.Commit = text(n.llamaVersion), text(n.ggmlVersion), text(n.ggmlCommit)
	if !sameRelease(lib.Version, Release) {
		return nil, fmt.Errorf("engine library %s is llama.cpp %s, and this binding is for %s, whose structs differ; build that release, or run `cadence-bench engine install`", lib.Dir, lib.Version, Release)
	}
	captureLog()
	captureAbort(n)
	noDebugger()
	llama.Init()
	if llama.GGMLBackendDeviceByType(llama.GGMLBackendDeviceTypeCPU) == 0 {
		return nil, fmt.Errorf("engine library %s has no CPU backend (libggml-cpu-*) that runs on this processor%s", lib.Dir, tail.quote())
	}
	return n, nil
}

// sameRelease reports whether a library's own version (0.5.0, or with a suffix
// for a build from a work tree) is that of the release tag.
func sameRelease(version, tag string) bool {
	version, want := strings.TrimPrefix(version, "v"), strings.TrimPrefix(tag, "v")
	rest, found := strings.CutPrefix(version, want)
	return found && (rest == "" || strings.ContainsAny(rest[:1], "-+ "))
}

func wrongVersion(dir string, err error) error {
	return fmt.Errorf("engine library %s cannot be used (%v): the binding needs llama.cpp %s; run `cadence-bench engine install`, or name a build of that release with --lib", dir, err, Release)
}
