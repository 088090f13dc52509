// Package npm fetches prebuilt llama.cpp libraries from the npm packages of
// node-llama-cpp, with the user's own npm client and its settings.
package npm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/internal/archive"
)

// Version is the version of the packages; 3.22.1 carries llama.cpp v0.5.0.
const Version = "3.22.1"

// Available reports whether npm is on the PATH.
func Available() bool {
	_, err := exec.LookPath("npm")
	return err == nil
}

// Package is the full name of a platform's package.
func Package(platform string) string {
	return "@node-llama-cpp/" + platform + "@" + Version
}

// Sources is the full name of the package that carries llama.cpp's sources.
const Sources = "node-llama-cpp@" + Version

// bundle is where they are in it: a git bundle of the one commit.
const bundle = "package/llama/gitRelease.bundle"

// Fetch packs a platform's package and puts those of its binaries that keep
// accepts into dir, which must exist. It runs no script of the package.
func Fetch(ctx context.Context, platform, dir string, keep func(name string) bool) error {
	from := "package/bins/" + platform
	return fetch(ctx, Package(platform), dir, func(name string) bool { return path.Dir(name) == from && keep(path.Base(name)) })
}

// FetchSources puts the git bundle of llama.cpp's sources into dir, which must
// exist, and gives its path.
func FetchSources(ctx context.Context, dir string) (file string, err error) {
	return filepath.Join(dir, path.Base(bundle)), fetch(ctx, Sources, dir, func(name string) bool { return name == bundle })
}

func fetch(ctx context.Context, pkg, dir string, keep func(name string) bool) error {
	tmp, err := os.MkdirTemp(dir, ".npm-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	cmd := exec.CommandContext(ctx, "npm", "pack", "--ignore-scripts", "--silent", pkg)
	cmd.Dir = tmp
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("npm pack %s: %v%s", pkg, err, firstLine(stderr.String()))
	}
	archives, err := filepath.Glob(filepath.Join(tmp, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return fmt.Errorf("npm pack %s: made %d archives, want 1", pkg, len(archives))
	}
	f, err := os.Open(archives[0])
	if err != nil {
		return err
	}
	defer f.Close()
	if err := archive.Untar(f, dir, keep); err != nil {
		return fmt.Errorf("%s: %w", pkg, err)
	}
	return nil
}

// firstLine gives npm's own reason, without its log of the log.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "npm error"))
		if line != "" && !strings.HasPrefix(line, "code ") {
			return ": " + line
		}
	}
	return ""
}
