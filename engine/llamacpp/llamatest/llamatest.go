// Package llamatest gives tests the real engine.
package llamatest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
)

// The environment of tests on the real engine.
const (
	// ModelEnv names the model file; without it the repository's cache is used.
	ModelEnv = "CADENCE_MODEL"
	// RequireEnv, set to 1, makes a missing engine a failure rather than a skip.
	RequireEnv = "CADENCE_REQUIRE_ENGINE"
)

var (
	library = sync.OnceValue(load)
	shared  = sync.OnceValues(open)
)

// Library loads the library, for tests that call it themselves. Where it is
// missing the test is skipped, or fails with CADENCE_REQUIRE_ENGINE=1, and says
// what to run.
func Library(t testing.TB) {
	t.Helper()
	need(t, library())
}

// Open gives the model, loaded once per process and never closed. Where it or
// the library is missing it does as Library does.
func Open(t testing.TB) *llamacpp.Model {
	t.Helper()
	m, err := shared()
	need(t, err)
	return m
}

func need(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv(RequireEnv) == "1":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

// Cache is the folder that CADENCE_CACHE names, else the repository's.
func Cache() (string, error) {
	if dir := os.Getenv("CADENCE_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".cache", "cadence-bench"), nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod above the working folder")
		}
		dir = up
	}
}

func load() error {
	cache, err := Cache()
	if err != nil {
		return err
	}
	lib, err := llamacpp.Locate("", cache)
	if err != nil {
		return err
	}
	return llamacpp.Load(lib)
}

func open() (*llamacpp.Model, error) {
	if err := library(); err != nil {
		return nil, err
	}
	model := os.Getenv(ModelEnv)
	if model == "" {
		cache, err := Cache()
		if err != nil {
			return nil, err
		}
		model = filepath.Join(cache, "models", "cadence-30m-q8_0-s1.gguf")
	}
	if _, err := os.Stat(model); err != nil {
		return nil, fmt.Errorf("no model at %s; run `cadence-bench model synth`, or name one with %s", model, ModelEnv)
	}
	return llamacpp.OpenModel(model, llamacpp.DefaultPlacement)
}
