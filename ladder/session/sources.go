package session

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/results"
)

// recall lets a run that is gone on with find its model, libraries and calibration where
// it found them when it began, unless the command line names other places, and keep the
// traces that it has kept so far.
func (o *Options) recall() error {
	if o.Resume == nil {
		return nil
	}
	o.TraceSteps = o.TraceSteps || there(filepath.Dir(o.Resume.StepsPath(0, results.Key{})))
	o.TraceDecisions = o.TraceDecisions || there(filepath.Dir(o.Resume.DecisionsPath(0, results.Key{})))
	from := o.Resume.Manifest.Sources
	for _, it := range []struct {
		flag     string
		to       *string
		from     string
		fallback bool // to the default place: a run may have moved away from its libraries
	}{
		{"--model", &o.Model, from.Model, false}, {"--calibration", &o.Calibration, from.Calibration, false}, {"--lib", &o.Places.Lib, from.Library, true},
	} {
		if *it.to != "" || it.from == "" {
			continue
		}
		path := filepath.FromSlash(it.from)
		if !filepath.IsAbs(path) {
			path = filepath.Join(o.Dir, path)
		}
		if there(path) {
			*it.to = path
		} else if !it.fallback {
			return fault.Input.Errorf("the run's %s is no longer at %s: say where it is by %s", it.flag[2:], path, it.flag)
		}
	}
	return nil
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// sources are the places of what is about to be measured, for the manifest.
func (o *Options) sources(m cell.Machine) (results.Sources, error) {
	var s results.Sources
	var err error
	within := func(path string) string {
		if path == "" || err != nil {
			return ""
		}
		var dir, file, rel string
		if dir, err = filepath.Abs(o.Dir); err == nil {
			file, err = filepath.Abs(path)
		}
		if err != nil {
			return ""
		}
		if rel, err = filepath.Rel(dir, file); err != nil {
			rel, err = file, nil // on another drive
		}
		return filepath.ToSlash(rel)
	}
	s.Model = within(o.Model)
	switch m := m.(type) {
	case *machine.Llama:
		s.Library = within(m.LibraryDir())
	case cell.Simulator:
		s.Calibration = within(o.Calibration)
	}
	if err != nil {
		err = fmt.Errorf("where the run finds its model and libraries: %w", err)
	}
	return s, err
}
