package spec

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// namesMaxBatch are the files besides the table that may name the setting max_batch, and
// why. YAML, flags, manifest, cell parameters, knobs, help and documents have it from the
// table; a file that is added here is one more to change with the next setting.
var namesMaxBatch = map[string]string{
	"ladder/spec/settings.go":        "the table",
	"ladder/spec/problem.go":         "which settings cannot go together",
	"analysis/traits.go":             "what a cell's parameters say of its rung",
	"ladder/artifact/fit.go":         "facts that traces must share",
	"ladder/ab/load.go":              "the command line of a segment, which older programs must read too",
	"results/decisioncolumns.go":     "a column of the decisions",
	"cmd/cadence-bench/gatereal.go":  "the same load's flag",
	"cmd/cadence-bench/knobs.go":     "an example",
	"admission/classic/tokenscap.go": "a setting of another program",
}

// obeysMaxBatch are the folders whose code does what the setting says.
var obeysMaxBatch = []string{"engine", "admission", "results", "analysis", "ladder/cell", "ladder/spec", "ladder/artifact", "ladder/ab"}

// obeyMaxBatch are single files that do.
var obeyMaxBatch = map[string]string{
	"ladder/measure.go":             "how many requests fill an engine",
	"ladder/profile/profile.go":     "how many requests fill an engine",
	"ladder/mutate/mutations.go":    "a mistake that changes it",
	"cmd/cadence-bench/gatereal.go": "reads the flag of its load",
}

// TestASettingIsDeclaredOnce counts the places that know one setting.
func TestASettingIsDeclaredOnce(t *testing.T) {
	const root = "../.."
	name, field := regexp.MustCompile(`max[-_]batch`), regexp.MustCompile(`\b[mM]axBatch\b`)
	named := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if d.IsDir() && rel != "." && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		rel = filepath.ToSlash(rel)
		if name.Match(text) {
			named[rel] = namesMaxBatch[rel]
		}
		if field.Match(text) {
			obeys := obeyMaxBatch[rel] != ""
			for _, folder := range obeysMaxBatch {
				obeys = obeys || strings.HasPrefix(rel, folder+"/")
			}
			require.True(t, obeys, "%s handles max_batch: add a setting to the table, and obey it there where it acts", rel)
		}
		return err
	})
	require.NoError(t, err)
	require.Equal(t, namesMaxBatch, named)
}
