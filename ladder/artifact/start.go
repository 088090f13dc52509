package artifact

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/internal/regular"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/results"
)

// Copy is the name of the artifact's copy in the folder of a run that started from one, so
// that --resume starts its further cells from the same.
const Copy = "admission-json"

// Start is what admission policies start from: an artifact that fits what runs. The zero
// value starts from nothing.
type Start struct {
	Fitted *admission.Fitted // nil: from nothing
	Choice results.Choice
	path   string
}

// Open reads an artifact and compares it with what runs: facts on which bounds depend
// must be the same unless another is allowed, and of the others note is told.
func Open(file string, allowOther bool, here Facts, note func(string)) (Start, error) {
	a, fitted, sum, err := Read(file)
	if err != nil {
		return Start{}, fault.Input.Errorf("--admission-artifact: %w", err)
	}
	var other []string
	for _, d := range Differences(a.Facts, here) {
		if d.Refuses && !allowOther {
			return Start{}, fault.Input.Errorf("--admission-artifact: %s is of another engine: %v; make one for this engine with traces and fit, or insist with --allow-other-artifact", file, d)
		}
		note(fmt.Sprintf("warning: the admission artifact is not of what runs: %v", d))
		other = append(other, d.String())
	}
	why := fmt.Sprintf("fitted %s on %d traces of %s with an SLO of %g s", a.MadeAt.UTC().Format("2006-01-02"), len(a.Traces), a.Backend, a.SLOS)
	if len(other) > 0 {
		why += "; " + strings.Join(other, "; ")
	}
	return Start{fitted, results.Choice{Name: "admission_artifact", Value: sum[:12], Why: why}, file}, nil
}

// Keep copies the artifact into a run's folder.
func (s Start) Keep(dir string) error {
	if s.Fitted == nil {
		return nil
	}
	data, err := regular.ReadFile(s.path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, Copy), data, 0o644)
}

// Resumed is the artifact that a run started from, if it did.
func Resumed(dir string, choices []results.Choice) (Start, error) {
	for _, c := range choices {
		if c.Name != "admission_artifact" {
			continue
		}
		path := filepath.Join(dir, Copy)
		_, fitted, sum, err := Read(path)
		if err != nil {
			return Start{}, fault.Input.Errorf("the run started from an artifact: %w", err)
		}
		if sum[:12] != c.Value {
			return Start{}, fault.Input.Errorf("%s is not the artifact that the run started from: its SHA-256 begins with %.12s, and in the manifest with %s", path, sum, c.Value)
		}
		return Start{fitted, c, path}, nil
	}
	return Start{}, nil
}

// FactsOf is what a machine is and what is asked of it, for comparing an artifact with it.
// An SLO of 0 is not chosen yet.
func FactsOf(m cell.Machine, source, workload string, slo time.Duration) Facts {
	f := Facts{Host: results.ReadHost(), EngineSource: source, Workload: workload, SLOS: slo.Seconds()}
	if m != nil {
		f.Backend, f.Setting = m.Backend(), m.Params()
		f.Library, f.Model = m.Describe()
	}
	return f
}
