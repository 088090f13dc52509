package llamacpp

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/internal/npm"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/internal/publisher"
)

// Options says what Install fetches and where to.
type Options struct {
	Cache    string    // cache folder; the libraries go to a folder below it
	Platform Platform  // "" is HostPlatform
	Force    bool      // fetch again although it is there and whole
	Log      io.Writer // one line per thing that takes time; nil is silent
}

// The sources that a record may name.
const (
	sourceNPM       = "npm"
	sourcePublisher = "llama-cpp-builder"
)

// installDir is where a platform's libraries live.
func installDir(cache string, p Platform) string {
	return filepath.Join(cache, "lib", "llama.cpp-"+Release+"-"+string(p))
}

// Install puts the prebuilt llama.cpp Release for a platform into the cache and
// gives its folder. A folder that is there and whole is left as it is. The
// libraries come through npm where it is on the PATH and the platform's files
// are pinned, else from the release's publisher.
//
// A new folder is unpacked and checked beside its place and then renamed, so
// that it is there whole or not at all, whoever else installs at the same time.
func Install(ctx context.Context, o Options) (dir string, err error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Platform == "" {
		if o.Platform = HostPlatform(); o.Platform == "" {
			return "", fmt.Errorf("install engine: there is no prebuilt llama.cpp for %s/%s; build %s and name its folder with --lib DIR or CADENCE_LIB", runtime.GOOS, runtime.GOARCH, Release)
		}
	}
	dir, err = filepath.Abs(installDir(o.Cache, o.Platform))
	if err != nil {
		return "", err
	}
	if !o.Force && whole(dir) {
		return dir, nil
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("install engine: %w", err)
	}
	tmp, err := os.MkdirTemp(parent, ".install-")
	if err != nil {
		return "", fmt.Errorf("install engine: %w", err)
	}
	defer os.RemoveAll(tmp)
	if err := fetch(ctx, o, tmp); err != nil {
		return "", fmt.Errorf("install engine: llama.cpp %s for %s: %w; where the network does not reach, name a folder of libraries with --lib DIR or CADENCE_LIB", Release, o.Platform, err)
	}
	if err := place(tmp, dir, o.Force); err != nil {
		return "", fmt.Errorf("install engine: %w", err)
	}
	return dir, nil
}

// whole reports whether dir is an install that passes its own check.
func whole(dir string) bool {
	rec, err := readRecord(dir)
	if err != nil || rec == nil {
		return false
	}
	_, err = rec.verify(dir)
	return err == nil
}

// fetch fills dir from the first source that works.
func fetch(ctx context.Context, o Options, dir string) error {
	var npmErr error
	if want := pins(o.Platform); len(want) > 0 && npm.Available() {
		fmt.Fprintf(o.Log, "fetching %s with npm\n", npm.Package(string(o.Platform)))
		if npmErr = fetchNPM(ctx, o.Platform, dir, want); npmErr == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := empty(dir); err != nil {
			return err
		}
	}
	fmt.Fprintf(o.Log, "fetching %s for %s from its publisher\n", Release, o.Platform)
	err := fetchPublished(ctx, o.Platform, dir)
	if err != nil && npmErr != nil {
		return fmt.Errorf("%w; %w", npmErr, err)
	}
	return err
}

func fetchNPM(ctx context.Context, p Platform, dir string, want []FileHash) error {
	if err := npm.Fetch(ctx, string(p), dir, isLibrary); err != nil {
		return err
	}
	got, err := hashLibraries(dir)
	if err != nil {
		return err
	}
	if err := compare(npm.Package(string(p)), want, got); err != nil {
		return err
	}
	for _, f := range want {
		if alias := aliasFor(f.Name); alias != "" {
			if err := os.Symlink(f.Name, filepath.Join(dir, alias)); err != nil {
				return err
			}
		}
	}
	return (&record{Release, p, sourceNPM, want, nil}).write(dir)
}

// fetchPublished fills dir from the publisher of the release. Its manifest is pinned and
// names the digest of each archive. The files' own hashes are recorded here, and every
// load compares with the record.
func fetchPublished(ctx context.Context, p Platform, dir string) error {
	if err := publisher.Pinned().Fetch(ctx, string(p), dir, isLibrary); err != nil {
		return fmt.Errorf("download from the publisher: %w", err)
	}
	files, err := hashLibraries(dir)
	if err != nil {
		return err
	}
	return (&record{Release, p, sourcePublisher, files, nil}).write(dir)
}

func empty(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o755)
}

// place renames tmp to dir. What is at dir and not whole, or is to be replaced,
// is moved away first. Another process may have done the same meanwhile; a whole
// folder of its making is as good.
func place(tmp, dir string, force bool) error {
	for range 10 {
		err := os.Rename(tmp, dir)
		if err == nil {
			return nil
		}
		if _, statErr := os.Lstat(dir); statErr != nil {
			return err
		}
		if !force && whole(dir) {
			return nil
		}
		old, err := os.MkdirTemp(filepath.Dir(dir), ".old-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(old)
		if err := os.Rename(dir, filepath.Join(old, "lib")); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return fmt.Errorf("%s changes under our hands: another process is installing there", dir)
}
