package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/internal/nearest"
)

// ContrastKeys are the keys of all contrasts, in the order of tables.
func ContrastKeys() []string {
	var keys []string
	for _, c := range Contrasts() {
		keys = append(keys, c.Key)
	}
	return keys
}

// ContrastsOf returns the contrasts with these keys, in the order of tables; all when none
// is named.
func ContrastsOf(keys []string) ([]Contrast, error) {
	for _, key := range keys {
		if known := ContrastKeys(); !slices.Contains(known, key) {
			return nil, fmt.Errorf("unknown metric %q; %s", key, nearest.Hint(key, known))
		}
	}
	return slices.DeleteFunc(Contrasts(), func(c Contrast) bool { return len(keys) > 0 && !slices.Contains(keys, c.Key) }), nil
}

// OpenedArm is an arm and the run that it is of.
type OpenedArm struct {
	Arm
	Run *analysis.Run
}

// OpenArms loads the two sides of a comparison: each is RUN or RUN:RUNG, and rung, unless
// it is "", is that of both. A run that both are of is loaded once.
func OpenArms(nameA, nameB, rung string, o analysis.Options) (a, b OpenedArm, err error) {
	if a, err = openArm(nameA, rung, o, nil); err != nil {
		return a, b, err
	}
	if b, err = openArm(nameB, rung, o, a.Run); err != nil {
		return a, b, err
	}
	if (a.Rung == "") != (b.Rung == "") {
		return a, b, fmt.Errorf("%s and %s: name a rung of both or of neither", nameA, nameB)
	}
	return a, b, nil
}

func openArm(name, rung string, o analysis.Options, loaded *analysis.Run) (arm OpenedArm, err error) {
	dir := name
	if _, err := os.Stat(name); err != nil {
		if i := strings.LastIndex(name, ":"); i > 0 {
			if rung != "" {
				return arm, fmt.Errorf("--rung: %s names a rung already", name)
			}
			dir, rung = name[:i], name[i+1:]
		}
	}
	if arm.Run = loaded; loaded == nil || filepath.Clean(loaded.Dir) != filepath.Clean(dir) {
		if arm.Run, err = analysis.Load(dir, o); err != nil {
			return arm, err
		}
	}
	if rung != "" && !slices.Contains(arm.Run.Rungs, rung) {
		return arm, fmt.Errorf("%s has no rung %q; %s", dir, rung, nearest.Hint(rung, arm.Run.Rungs))
	}
	arm.Arm = ArmOf(arm.Run, name, rung)
	return arm, nil
}
