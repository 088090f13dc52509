// Package compile makes llama.cpp's shared libraries from its sources with the user's
// own git, cmake and C++ compiler.
package compile

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// BundleSHA256 is the hash of the git bundle of the pinned release's sources.
const BundleSHA256 = "5f5d1105d5df040738d87b8290e5d17e7362131cdcfdb0831618e0ea528b4a51"

// tool is a program that a build needs, and how to get it.
type tool struct{ name, get string }

// backend is what a build for one kind of device needs. The probe is a command that
// fails where there is no such device.
type backend struct {
	flag  string
	tools []tool
	probe []string
	os    string // "" is any
}

var backends = map[string]backend{
	"cpu": {},
	"cuda": {flag: "GGML_CUDA", probe: []string{"nvidia-smi", "-L"},
		tools: []tool{{"nvcc", "install NVIDIA's CUDA toolkit and put its bin folder on the PATH"}, {"nvidia-smi", "install NVIDIA's driver"}}},
	"vulkan": {flag: "GGML_VULKAN", probe: []string{"vulkaninfo", "--summary"},
		tools: []tool{{"glslc", "install the Vulkan SDK, or apt-get install glslc libvulkan-dev"}, {"vulkaninfo", "install the Vulkan SDK, or apt-get install vulkan-tools"}}},
	"metal": {flag: "GGML_METAL", os: "darwin"},
}

// Check says what a build for the backend lacks on this machine, in one line.
func Check(ctx context.Context, name string) error {
	b, ok := backends[name]
	if !ok {
		return fmt.Errorf("backend %q: want cpu, cuda, vulkan or metal", name)
	}
	if b.os != "" && b.os != runtime.GOOS {
		return fmt.Errorf("backend %s: there is none on %s", name, runtime.GOOS)
	}
	cxx := tool{"c++", "apt-get install g++, xcode-select --install, or set CXX"}
	if own := strings.Fields(os.Getenv("CXX")); len(own) > 0 {
		cxx.name = own[0]
	}
	tools := []tool{{"git", "apt-get install git, or https://git-scm.com"}, {"cmake", "apt-get install cmake, or https://cmake.org/download"}}
	if runtime.GOOS != "windows" { // there cmake finds Visual Studio's
		tools = append(tools, cxx)
	}
	for _, t := range append(tools, b.tools...) {
		if _, err := exec.LookPath(t.name); err != nil {
			return fmt.Errorf("backend %s needs %s, which is not on the PATH: %s", name, t.name, t.get)
		}
	}
	if len(b.probe) > 0 {
		if err := exec.CommandContext(ctx, b.probe[0], b.probe[1:]...).Run(); err != nil {
			return fmt.Errorf("backend %s: %s finds no device (%v)", name, strings.Join(b.probe, " "), err)
		}
	}
	return nil
}

// Flags are cmake's, for a backend and with those of the user, which win.
func Flags(name string, own []string) []string {
	origin := "$ORIGIN"
	if runtime.GOOS == "darwin" {
		origin = "@loader_path"
	}
	flags := []string{
		"CMAKE_BUILD_TYPE=Release", "BUILD_SHARED_LIBS=ON", "GGML_NATIVE=ON",
		// As in the prebuilt libraries: ggml's own threads, on which the step is aborted.
		"GGML_OPENMP=OFF",
		// The libraries find each other in whichever folder they lie, by plain names.
		"CMAKE_PLATFORM_NO_VERSIONED_SONAME=ON", "CMAKE_BUILD_RPATH=" + origin,
		// The sources are the release's, and nothing but the libraries is wanted.
		"LLAMA_BUILD_IS_DEV=OFF", "LLAMA_BUILD_COMMON=OFF", "LLAMA_BUILD_APP=OFF", "LLAMA_OPENSSL=OFF",
		"LLAMA_ALL_WARNINGS=OFF", "GGML_ALL_WARNINGS=OFF",
	}
	if f := backends[name].flag; f != "" {
		flags = append(flags, f+"=ON")
	}
	return append(flags, own...)
}

// Verify compares a bundle with the hash that it should have.
func Verify(bundle, want string) error {
	f, err := os.Open(bundle)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("%s: its SHA-256 differs from the pinned one (%s, not %s)", bundle, got, want)
	}
	return nil
}

// Run compiles a bundle in the folder work, which may hold a build that was interrupted, and
// gives the folders that have the libraries among other things.
func Run(ctx context.Context, bundle, work string, flags []string, log io.Writer) (out []string, err error) {
	src, build := filepath.Join(work, "src"), filepath.Join(work, "build")
	if _, err := os.Stat(src); err != nil {
		half := src + ".half"
		if err := os.RemoveAll(half); err != nil {
			return nil, err
		}
		fmt.Fprintln(log, "unpacking the sources")
		if err := command(ctx, io.Discard, "git", "-c", "advice.detachedHead=false", "-c", "core.autocrlf=false", "clone", "--quiet", bundle, half); err != nil {
			return nil, err
		}
		if err := os.Rename(half, src); err != nil {
			return nil, err
		}
	}
	fmt.Fprintln(log, "configuring")
	args := []string{"-S", src, "-B", build}
	for _, f := range flags {
		args = append(args, "-D"+f)
	}
	if err := command(ctx, io.Discard, "cmake", args...); err != nil {
		return nil, err
	}
	p := &progress{log: log, started: time.Now(), last: -1}
	fmt.Fprintf(log, "compiling on %d processors\n", runtime.NumCPU())
	if err := command(ctx, p, "cmake", "--build", build, "--config", "Release", "--parallel", fmt.Sprint(runtime.NumCPU()), "--target", "llama", "ggml"); err != nil {
		return nil, err
	}
	return []string{filepath.Join(build, "bin"), filepath.Join(build, "bin", "Release")}, nil
}

// command runs a program; its error has the first line in which the program says why.
func command(ctx context.Context, out io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &said
	cmd.Cancel = func() error { return stop(cmd) }
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		return nil
	}
	for sc := bufio.NewScanner(&said); sc.Scan(); {
		if line := strings.TrimSpace(sc.Text()); strings.Contains(strings.ToLower(line), "error") || strings.HasPrefix(line, "fatal") {
			return fmt.Errorf("%s: %w: %s", name, err, line)
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// progress reads what make or ninja print and writes a line for every further 5%.
type progress struct {
	log     io.Writer
	started time.Time
	last    int
}

var step = regexp.MustCompile(`\[ *(\d+)(%|/(\d+))\]`)

func (p *progress) Write(b []byte) (int, error) {
	for _, m := range step.FindAllSubmatch(b, -1) {
		var n, of int
		fmt.Sscan(string(m[1]), &n)
		if fmt.Sscan(string(m[3]), &of); of > 0 {
			n = 100 * n / of
		}
		if n = n / 5 * 5; n > p.last {
			p.last = n
			fmt.Fprintf(p.log, "compiling: %d%%, %v\n", n, time.Since(p.started).Round(time.Second))
		}
	}
	return len(b), nil
}
