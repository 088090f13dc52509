package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// studyFolder is the study of admission policies on the twin that docs/admission.md
// shows. The repository has its manifest, journal, tables and charts; its cells take
// some hundred megabytes and two minutes, and `make admission` makes them again.
const studyFolder = "results/admission/study"

// studyBlocks are the tables of the study, by name after "study-"; none where nobody has
// made it.
func studyBlocks() (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(studyFolder, "tables", "*.md"))
	if err != nil {
		return nil, err
	}
	blocks := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, coded(exitInput, err)
		}
		blocks["study-"+strings.TrimSuffix(filepath.Base(file), ".md")] = string(data)
	}
	return blocks, nil
}
