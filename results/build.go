package results

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Build identifies the program. Commit and Dirty are null when it was built
// outside a git tree, or by `go run` or `go test`, which record neither.
type Build struct {
	Version string      `json:"version"` // module version, "(devel)" for one of a work tree
	Commit  Opt[string] `json:"commit"`
	Dirty   Opt[bool]   `json:"dirty"` // whether the tree had uncommitted changes
	Go      string      `json:"go"`
}

// BuildInfo returns what the Go toolchain recorded in this program.
func BuildInfo() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{Version: "unknown", Go: runtime.Version()}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) Build {
	b := Build{Version: info.Main.Version, Go: info.GoVersion}
	if b.Version == "" {
		b.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = Some(s.Value)
		case "vcs.modified":
			b.Dirty = Some(s.Value == "true")
		}
	}
	return b
}

// SourceHash returns one SHA-256 over the Go files of trees, by tree name and
// path. Tests do not count. A package gives its own sources to it by
//
//	//go:embed *.go
//	var Source embed.FS
//
// so that the hash is of what the program was compiled from, wherever it runs.
func SourceHash(trees map[string]fs.FS) (string, error) {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		err := fs.WalkDir(trees[name], ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") {
				return err
			}
			data, err := fs.ReadFile(trees[name], p)
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%s %s\n", HashBytes(data), path.Join(name, p))
			return nil
		})
		if err != nil {
			return "", fmt.Errorf("hash the sources of %s: %w", name, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
