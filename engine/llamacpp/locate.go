package llamacpp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// LibEnv is the environment variable that names a folder of libraries.
const LibEnv = "CADENCE_LIB"

// Locate gives the folder of the engine's libraries: libFlag (from --lib) where
// it is not empty, else that in CADENCE_LIB, else what Install put into
// cacheDir. A name such as native or native-cuda is what Build put there, and cuda or vulkan
// what Install put there for that backend. It checks only that something is there; Load
// checks what.
func Locate(libFlag, cacheDir string) (dir string, err error) {
	for _, own := range []struct{ from, dir string }{
		{"--lib", libFlag},
		{LibEnv, os.Getenv(LibEnv)},
	} {
		if own.dir == "" {
			continue
		}
		if isNative(own.dir) {
			if dir, err = filepath.Abs(installDir(cacheDir, Platform(own.dir))); err != nil {
				return "", err
			}
			if rec, err := readRecord(dir); err != nil || rec == nil {
				return "", fmt.Errorf("%s %s: not built yet (looked for %s); run `cadence-bench engine build`", own.from, own.dir, dir)
			}
			return dir, nil
		}
		if slices.Contains(Backends, own.dir) {
			platform, err := BackendPlatform(own.dir)
			if err != nil {
				return "", fmt.Errorf("%s: %w", own.from, err)
			}
			return installed(cacheDir, platform, " --backend "+own.dir)
		}
		if fi, err := os.Stat(own.dir); err != nil || !fi.IsDir() {
			return "", fmt.Errorf("%s %s: no such folder", own.from, own.dir)
		}
		return filepath.Abs(own.dir)
	}
	return Installed(cacheDir)
}

// Installed gives the folder of the libraries that Install put into cacheDir.
func Installed(cacheDir string) (dir string, err error) {
	return installed(cacheDir, HostPlatform(), "")
}

// installed gives the folder of a platform's libraries; flags are those of the command that
// puts them there.
func installed(cacheDir string, p Platform, flags string) (dir string, err error) {
	dir, err = filepath.Abs(installDir(cacheDir, p))
	if err != nil {
		return "", err
	}
	rec, err := readRecord(dir)
	if err != nil {
		return "", err
	}
	if rec == nil {
		return "", fmt.Errorf("the engine's libraries are not installed (looked for %s); run `cadence-bench engine install%s`, or name a llama.cpp %s build with --lib DIR or %s", dir, flags, Release, LibEnv)
	}
	return dir, nil
}
