package llamacpp

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Platform names a prebuilt set of libraries as its publisher does: the
// operating system, the architecture and, where it is not the plain CPU build,
// the accelerator.
type Platform string

// HostPlatform is the platform of this process: the CPU build, or on a Mac the
// one that the publisher has. It is "" where there is none.
func HostPlatform() Platform {
	switch runtime.GOOS + "/" + runtime.GOARCH {
	case "linux/amd64":
		return "linux-x64"
	case "linux/arm64":
		return "linux-arm64"
	case "darwin/arm64":
		return "mac-arm64-metal"
	case "darwin/amd64":
		return "mac-x64"
	case "windows/amd64":
		return "win-x64"
	case "windows/arm64":
		return "win-arm64"
	}
	return ""
}

// Backends are what prebuilt libraries compute on, besides or instead of the CPU.
var Backends = []string{"cpu", "cuda", "vulkan", "metal"}

// BackendPlatform is the platform whose prebuilt libraries have a backend on this machine.
func BackendPlatform(backend string) (Platform, error) {
	host := HostPlatform()
	switch {
	case !slices.Contains(Backends, backend):
		return "", fmt.Errorf("backend %q: want %s", backend, strings.Join(Backends, ", "))
	case backend == "cpu" && host != "":
		return host, nil
	case backend == "metal" && strings.HasSuffix(string(host), "-metal"):
		return host, nil
	case backend != "cpu" && backend != "metal" && (strings.HasPrefix(string(host), "linux-x64") || strings.HasPrefix(string(host), "win-x64")):
		return host + Platform("-"+backend), nil
	}
	return "", fmt.Errorf("backend %s: there is no prebuilt llama.cpp with it for %s/%s; compile one with `cadence-bench engine build --backend %s`", backend, runtime.GOOS, runtime.GOARCH, backend)
}

// fileName is the name under which the binding looks for a library.
func fileName(goos, lib string) string {
	switch goos {
	case "windows":
		return lib + ".dll"
	case "darwin":
		return "lib" + lib + ".dylib"
	}
	return "lib" + lib + ".so"
}

// needed are the libraries that the binding opens by name.
var needed = []string{"ggml", "ggml-base", "llama"}

// isLibrary reports whether name is a shared library that the engine uses.
// llama-common serves llama.cpp's own command-line tools only.
func isLibrary(name string) bool {
	if strings.Contains(name, "llama-common") {
		return false
	}
	switch filepath.Ext(name) {
	case ".dylib", ".dll":
		return true
	}
	return strings.HasSuffix(name, ".so") || strings.Contains(name, ".so.")
}

// aliasFor is the name that the binding wants for a versioned library file
// (libllama.v0.5.0.so → libllama.so, libggml.vulkan.v0.5.0.so → libggml.so), or
// "" when the file already has its name.
func aliasFor(name string) string {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	base, rest, found := strings.Cut(stem, ".")
	if !found || !strings.HasSuffix("."+rest, "."+Release) {
		return ""
	}
	return base + ext
}
