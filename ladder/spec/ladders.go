// Package spec reads ladders from files: which rungs there are, in which order, and
// with which settings of the scheduler and the KV cache. The built-in ladders are such
// files. docs/ladders.md describes the format.
package spec

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/internal/nearest"
	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// Ladder is a ladder as its file has it.
type Ladder struct {
	Name, Description string
	Rungs             []Rung // lowest first, at least one
	// Text is the whole file.
	Text string
}

// Rung is one configuration of a ladder, with what it inherits. It is meant to differ
// from the rung below it in one mechanism.
type Rung struct {
	Name string
	Adds string // what it changes against the rung below, in one sentence
	// Optional rungs are measured only when they are named.
	Optional bool
	Settings
	// Variant changes the engine below.
	Variant Variant
	// External is the server that the rung stands for; nil is the embedded engine.
	External *External
}

// External is a server that is measured as a further rung.
type External struct{ Name, URL string }

// Engine is how the rung's engine serves on a backend with this KV layout, but for its
// admission policy, which is made anew for each cell.
func (r Rung) Engine(unified bool) engine.Config {
	r.Cache.Streams = !unified
	return engine.Config{Policy: r.Policy, Cache: r.Cache}
}

// Settings are what a rung's engine is given.
type Settings struct {
	Policy engine.Policy
	Cache  engine.CacheConfig
	// Admission is the zero Spec for a rung that takes everything.
	Admission admission.Spec
	Own       Own
}

// Admits says whether an admission policy decides who is served.
func (s *Settings) Admits() bool { return s.Admission.Policy != "" }

// Refills says whether waiting requests join a batch under way.
func (s *Settings) Refills() bool { return s.Policy.Refill }

// Caches says whether the beginnings of prompts are cached.
func (s *Settings) Caches() bool { return s.Cache.Prefix }

// Own says which of the settings that a flag or a measurement gives to every rung with
// a prefix cache the rung has a value of its own for.
type Own struct {
	ShareWait   bool // against --share-wait
	TilePrompts bool // against --tile-prompts
	RetainCells bool // against --kv-retain and what is chosen in its place
}

// SHA256 is the digest of the ladder's file, in hex.
func (l *Ladder) SHA256() string {
	sum := sha256.Sum256([]byte(l.Text))
	return hex.EncodeToString(sum[:])
}

// Default is the name of the built-in ladder that is measured unless another is named.
const Default = "cadence"

//go:embed *.yaml
var builtIn embed.FS

// BuiltIn returns the names of the built-in ladders: the default one, then the others
// by name.
func BuiltIn() []string {
	entries, _ := builtIn.ReadDir(".") // an embedded folder is always there
	names := []string{Default}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".yaml"); name != Default {
			names = append(names, name)
		}
	}
	return names
}

// maxFile is how long a ladder's file may be: a slip that names a model or a recording
// is found before it is read.
const maxFile = 1 << 20

// Open returns the built-in ladder of this name or, where there is none, reads the file.
func Open(nameOrFile string) (*Ladder, error) {
	if slices.Contains(BuiltIn(), nameOrFile) {
		file := nameOrFile + ".yaml"
		data, err := builtIn.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return Parse(file, data)
	}
	info, err := os.Stat(nameOrFile)
	switch {
	case os.IsNotExist(err):
		return nil, fmt.Errorf("no file and no built-in ladder is called %q: %s", nameOrFile, hint(nameOrFile))
	case err != nil:
		return nil, fmt.Errorf("ladder %s: %w", nameOrFile, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; name a ladder's file in it", nameOrFile)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is %d bytes long, which no ladder is: at most %d are read", nameOrFile, info.Size(), maxFile)
	}
	data, err := regular.ReadFile(nameOrFile)
	if err != nil {
		return nil, fmt.Errorf("ladder %s: %w", nameOrFile, err)
	}
	return Parse(nameOrFile, data)
}

// hint says what could have been meant.
func hint(name string) string {
	near, ok := nearest.Match(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)), BuiltIn())
	if ok {
		return fmt.Sprintf("did you mean %q? (ladder list shows those that are built in)", near)
	}
	return "give a YAML file, or one of " + strings.Join(BuiltIn(), ", ")
}
