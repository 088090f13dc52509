package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/internal/regular"
	"github.com/cadence-bench/cadence-bench/report/embed"
	"github.com/cadence-bench/cadence-bench/results"
)

// output is a file to be written; its name is a path in the report's folder.
type output struct {
	name string
	data []byte
}

// Write writes the report into a folder, which it makes if need be, and returns
// the paths of its files: report.md, report.html, tables/*.md, tables/*.csv,
// tables/*.json, charts/*.svg and charts/*.png, and summary.json.
func (r *Report) Write(dir string) ([]string, error) {
	html, err := r.Page().Render()
	if err != nil {
		return nil, err
	}
	outputs := []output{{"report.md", []byte(r.Markdown())}, {"report.html", html}}
	tables, err := r.tableFiles()
	if err != nil {
		return nil, err
	}
	outputs = append(outputs, tables...)
	for i := range r.Figures {
		f := &r.Figures[i]
		svg, err := f.SVG()
		if err != nil {
			return nil, err
		}
		png, err := f.PNG()
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, output{filepath.Join("charts", f.Name+".svg"), svg}, output{filepath.Join("charts", f.Name+".png"), png})
	}
	for _, sub := range []string{"tables", "charts"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, err
		}
	}
	var paths []string
	for _, o := range outputs {
		path := filepath.Join(dir, o.name)
		if err := os.WriteFile(path, o.data, 0o644); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	path := filepath.Join(dir, "summary.json")
	if err := results.WriteSummary(path, r.summaries); err != nil {
		return paths, err
	}
	return append(paths, path), nil
}

// tableFiles are the named tables for readers, and every table for machines.
func (r *Report) tableFiles() ([]output, error) {
	var outputs []output
	for _, t := range r.named() {
		outputs = append(outputs, output{filepath.Join("tables", t.Name+".md"), []byte(t.Markdown())})
	}
	for _, t := range r.Tables() {
		j, err := t.JSON()
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, output{filepath.Join("tables", t.Name+".csv"), t.CSV()}, output{filepath.Join("tables", t.Name+".json"), j})
	}
	return outputs, nil
}

// CheckTables compares the tables in a folder of Write with what it would write now.
// Its error has a line for each file that differs, is missing or is made no more. A
// folder without tables is one that nothing was written to: no error.
func (r *Report) CheckTables(dir string) error {
	entries, err := os.ReadDir(filepath.Join(dir, "tables"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	outputs, err := r.tableFiles()
	if err != nil {
		return err
	}
	var errs []error
	for _, o := range outputs {
		path := filepath.Join(dir, o.name)
		have, err := regular.ReadFile(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			errs = append(errs, fmt.Errorf("%s is missing: `cadence-bench report` writes it", path))
		case err != nil:
			errs = append(errs, err)
		case !bytes.Equal(have, o.data):
			line, differs := embed.Compare(linesOf(have), linesOf(o.data))
			errs = append(errs, fmt.Errorf("%s:%d: differs from the data: %s; `cadence-bench report` rewrites it", path, line, differs))
		}
	}
	for _, e := range entries {
		name := filepath.Join("tables", e.Name())
		if !slices.ContainsFunc(outputs, func(o output) bool { return o.name == name }) {
			errs = append(errs, fmt.Errorf("%s is not among the run's tables: delete it", filepath.Join(dir, name)))
		}
	}
	return errors.Join(errs...)
}

func linesOf(data []byte) []string { return strings.SplitAfter(string(data), "\n") }
