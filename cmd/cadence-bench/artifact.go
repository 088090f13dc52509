package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/ladder/artifact"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/results"
)

// artifactFile is the artifact's copy in the folder of a run that started from one, so
// that --resume starts its further cells from the same.
const artifactFile = "admission-artifact.json"

// artifactFlags say what admission policies start from.
type artifactFlags struct {
	file       string
	allowOther bool
}

func (f *artifactFlags) bind(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "admission-artifact", "", "what admission policies start from, as fit wrote it (default none: they learn on-line)")
	flags.BoolVar(&f.allowOther, "allow-other-artifact", false, "start from an artifact of another backend, model, library or engine all the same")
}

// warm is an artifact that fits what runs.
type warm struct {
	fitted *admission.Fitted
	choice results.Choice
	path   string
}

// open reads the artifact, if there is one, and compares it with what runs: facts on which
// bounds depend must be the same, and of the others it warns.
func (f *artifactFlags) open(here artifact.Facts, note func(string)) (warm, error) {
	if f.file == "" {
		if f.allowOther {
			return warm{}, coded(exitInput, errors.New("--allow-other-artifact: name the artifact by --admission-artifact"))
		}
		return warm{}, nil
	}
	a, fitted, sum, err := artifact.Read(f.file)
	if err != nil {
		return warm{}, coded(exitInput, fmt.Errorf("--admission-artifact: %w", err))
	}
	var other []string
	for _, d := range artifact.Differences(a.Facts, here) {
		if d.Refuses && !f.allowOther {
			return warm{}, coded(exitInput, fmt.Errorf("--admission-artifact: %s is of another engine: %v; make one for this engine with traces and fit, or insist with --allow-other-artifact", f.file, d))
		}
		note(fmt.Sprintf("warning: the admission artifact is not of this machine: %v", d))
		other = append(other, d.String())
	}
	why := fmt.Sprintf("fitted %s on %d traces of %s with an SLO of %g s", a.MadeAt.UTC().Format("2006-01-02"), len(a.Traces), a.Backend, a.SLOS)
	if len(other) > 0 {
		why += "; " + strings.Join(other, "; ")
	}
	return warm{fitted, results.Choice{Name: "admission_artifact", Value: sum[:12], Why: why}, f.file}, nil
}

// keep copies the artifact into a run's folder.
func (w warm) keep(dir string) error {
	if w.fitted == nil {
		return nil
	}
	data, err := os.ReadFile(w.path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, artifactFile), data, 0o644)
}

// resumed is the artifact that a run started from, if it did.
func resumed(dir string, choices []results.Choice) (warm, error) {
	for _, c := range choices {
		if c.Name != "admission_artifact" {
			continue
		}
		path := filepath.Join(dir, artifactFile)
		_, fitted, sum, err := artifact.Read(path)
		if err != nil {
			return warm{}, coded(exitInput, fmt.Errorf("the run started from an artifact: %w", err))
		}
		if sum[:12] != c.Value {
			return warm{}, coded(exitInput, fmt.Errorf("%s is not the artifact that the run started from: its SHA-256 begins with %.12s, and in the manifest with %s", path, sum, c.Value))
		}
		return warm{fitted, c, path}, nil
	}
	return warm{}, nil
}

// factsOf is what a machine is, for comparing an artifact with it.
func factsOf(m cell.Machine, source string) artifact.Facts {
	f := artifact.Facts{Host: results.ReadHost(), EngineSource: source}
	if m != nil {
		f.Backend, f.Setting = m.Backend(), m.Params()
		f.Library, f.Model = m.Describe()
	}
	return f
}
