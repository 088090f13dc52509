package llamacpp

import (
	"path/filepath"
	"runtime"
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
