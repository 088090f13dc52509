package main

import (
	"os"
	"path/filepath"
	"strings"
)

// admissionFolder has the runs that docs/admission.md shows, a folder each: `study` and
// others on the twin, which `make admission` makes again, with their manifest, journal and
// tables but without cells, and `real` of the engine, whole.
const admissionFolder = "results/runs/admission"

// admissionBlocks are the tables of those runs, each by the name of its run, a dash and its own;
// none where nobody has made them.
func admissionBlocks() (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(admissionFolder, "*", "tables", "*.md"))
	if err != nil {
		return nil, err
	}
	blocks := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, coded(exitInput, err)
		}
		run := filepath.Base(filepath.Dir(filepath.Dir(file)))
		blocks[run+"-"+strings.TrimSuffix(filepath.Base(file), ".md")] = string(data)
	}
	return blocks, nil
}
