package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// Run is a folder of one run:
//
//	manifest.json
//	journal.jsonl
//	cells/NNN-<rung>-<rate>rps-s<seed>.parquet
//	steps/NNN-<rung>-<rate>rps-s<seed>.parquet  if steps are traced
//	decisions/NNN-<rung>-<rate>rps-s<seed>.parquet  if decisions are
//	summary.json
//
// The names of replicates end with -r<replicate>, those of anchors with -anchor.
type Run struct {
	Dir      string
	Manifest Manifest
	// Entries is the last journal entry of each cell, by Order. A finished
	// entry's file was there when the run was opened.
	Entries []Entry
	// Missing are the finished cells whose file is gone. They are not among Entries.
	Missing []Entry
	// Unlisted are whole cell files that the journal does not have, by base name:
	// the process died between the two. EntryOf gives what to append.
	Unlisted []string
	// Warnings say what was found amiss and left out.
	Warnings []string
}

// ErrRunExists is wrapped by CreateRun's error about a folder that has a run.
var ErrRunExists = errors.New("already holds a run")

// CreateRun makes dir, if need be, a run's folder with the manifest m. It changes
// nothing in a folder that holds a run or a part of one.
func CreateRun(dir string, m Manifest) (*Run, error) {
	r := &Run{Dir: dir, Manifest: m}
	r.Manifest.Schema = SchemaVersion
	if err := Vacant(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.cells(), 0o755); err != nil {
		return nil, err
	}
	if err := WriteManifest(r.ManifestPath(), m); err != nil {
		return nil, err
	}
	return r, nil
}

// anything returns the name of something of a run in r.Dir, or "".
func (r *Run) anything() (string, error) {
	for _, name := range []string{manifestFile, journalFile, summaryFile} {
		if _, err := os.Lstat(filepath.Join(r.Dir, name)); err == nil {
			return name, nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	files, err := r.cellFiles()
	if err != nil || len(files) == 0 {
		return "", err
	}
	return filepath.Join(cellsFolder, files[0]), nil
}

// OpenRun reads the manifest and the journal of a run and lists its cell files;
// it opens none of them and changes nothing.
func OpenRun(dir string) (*Run, error) {
	r := &Run{Dir: dir}
	var err error
	if r.Manifest, err = ReadManifest(r.ManifestPath()); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a run: it has no %s", dir, manifestFile)
	} else if err != nil {
		return nil, err
	}
	entries, torn, err := ReadJournal(dir)
	if err != nil {
		return nil, err
	}
	if torn {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the last line of %s is torn and was left out: the run died while writing it",
			filepath.Join(dir, journalFile)))
	}
	files, err := r.cellFiles()
	if err != nil {
		return nil, err
	}
	listed := make(map[string]bool)
	for _, e := range lastOfEach(entries) {
		listed[e.File] = true
		if e.State == CellFinished && !slices.Contains(files, e.File) {
			r.Missing = append(r.Missing, e)
			r.Warnings = append(r.Warnings, fmt.Sprintf("cell %d (%s) is listed as finished, but its file %s is missing: it was left out",
				e.Order, e.Name(), filepath.Join(r.cells(), e.File)))
			continue
		}
		r.Entries = append(r.Entries, e)
	}
	for _, f := range files {
		if !listed[f] {
			r.Unlisted = append(r.Unlisted, f)
		}
	}
	return r, nil
}

// Whole is an error where the file of a finished cell is gone.
func (r *Run) Whole() error {
	if len(r.Missing) == 0 {
		return nil
	}
	return fault.Cells.Errorf("%s: %d of %d finished cells have no file any more, such as %s: put it back, or measure it again with --resume",
		r.Dir, len(r.Missing), len(r.Missing)+len(r.Entries), filepath.Join(r.cells(), r.Missing[0].File))
}

// lastOfEach keeps the last entry of each cell, by Order: a retried cell has more
// than one.
func lastOfEach(entries []Entry) []Entry {
	last := make(map[int]Entry)
	for _, e := range entries {
		last[e.Order] = e
	}
	kept := make([]Entry, 0, len(last))
	for _, e := range last {
		kept = append(kept, e)
	}
	slices.SortFunc(kept, func(a, b Entry) int { return a.Order - b.Order })
	return kept
}

// EntryOf reads a whole cell file of r, by base name, and returns the journal
// entry of a finished cell that it deserves.
func (r *Run) EntryOf(file string) (Entry, error) {
	cell, records, sum, err := r.readCell(file, "")
	if err != nil {
		return Entry{}, err
	}
	return Entry{Key: cell.Key, Order: cell.Order, State: CellFinished, File: file, SHA256: sum, Rows: len(records)}, nil
}

// ReadCell reads the cell file of a journal entry and checks that it is the file
// that the entry was written for.
func (r *Run) ReadCell(e Entry) (Cell, []Record, error) {
	cell, records, _, err := r.readCell(e.File, e.SHA256)
	return cell, records, err
}

// readCell reads a cell file and gives its SHA-256, which is want unless want is "".
func (r *Run) readCell(file, want string) (cell Cell, records []Record, sum string, err error) {
	path := filepath.Join(r.cells(), file)
	data, err := regular.ReadFile(path)
	if err != nil {
		return Cell{}, nil, "", err
	}
	if sum = HashBytes(data); want != "" && sum != want {
		return Cell{}, nil, "", fmt.Errorf("read %s: changed since it was measured: its SHA-256 is %s, the journal has %s", path, sum, want)
	}
	if cell, records, err = cellTable.decode(data); err != nil {
		return Cell{}, nil, "", fmt.Errorf("read %s: %w", path, err)
	}
	return cell, records, sum, nil
}

const (
	manifestFile = "manifest.json"
	summaryFile  = "summary.json"
	cellsFolder  = "cells"
	stepsFolder  = "steps"

	decisionsFolder = "decisions"
)

// ManifestPath returns where the manifest is.
func (r *Run) ManifestPath() string { return filepath.Join(r.Dir, manifestFile) }

// SummaryPath returns where the summary is.
func (r *Run) SummaryPath() string { return filepath.Join(r.Dir, summaryFile) }

// CellPath returns where the cell with this place in the plan is.
func (r *Run) CellPath(order int, key Key) string {
	return filepath.Join(r.cells(), cellName(order, key))
}

// StepsPath returns where the step trace of that cell is, if it was taken.
func (r *Run) StepsPath(order int, key Key) string {
	return filepath.Join(r.Dir, stepsFolder, cellName(order, key))
}

// DecisionsPath returns where the decision trace of that cell is, if it was taken.
func (r *Run) DecisionsPath(order int, key Key) string {
	return filepath.Join(r.Dir, decisionsFolder, cellName(order, key))
}

func (r *Run) cells() string { return filepath.Join(r.Dir, cellsFolder) }

// Name is the cell's name in messages and file names, such as "fifo-2.5rps-s7" or, for a
// replicate, "fifo-2.5rps-s7-r1", and for an anchor "fifo-2.5rps-s7-anchor".
func (k Key) Name() string {
	name := fmt.Sprintf("%s-%srps-s%d", k.Rung, strconv.FormatFloat(k.OfferedRPS, 'f', -1, 64), k.Seed)
	if k.Replicate > 0 {
		name += fmt.Sprintf("-r%d", k.Replicate)
	}
	if k.Anchor {
		name += "-anchor"
	}
	return name
}

// fileUnsafe is what a rung's name may have and a file name should not.
var fileUnsafe = regexp.MustCompile(`[^A-Za-z0-9._-]`)

func cellName(order int, key Key) string {
	return fmt.Sprintf("%03d-%s.parquet", order, fileUnsafe.ReplaceAllString(key.Name(), "_"))
}

var cellPattern = regexp.MustCompile(`^(\d{3,})-.+rps-s\d+(-r\d+)?(-anchor)?\.parquet$`)

// cellFiles lists the cell files by base name, in the order of the plan.
// Temporary files of a killed process are not among them.
func (r *Run) cellFiles() ([]string, error) {
	found, err := os.ReadDir(r.cells())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var files []string
	for _, f := range found {
		if cellPattern.MatchString(f.Name()) {
			files = append(files, f.Name())
		}
	}
	order := func(name string) int {
		n, _ := strconv.Atoi(cellPattern.FindStringSubmatch(name)[1])
		return n
	}
	slices.SortStableFunc(files, func(a, b string) int { return order(a) - order(b) })
	return files, nil
}

// Vacant returns CreateRun's error if dir holds a run or a part of one.
func Vacant(dir string) error {
	r := &Run{Dir: dir}
	taken, err := r.anything()
	if err == nil && taken != "" {
		err = fault.Input.Errorf("%s %w (it has %s): give another folder with --out, or go on with that run with --resume",
			dir, ErrRunExists, taken)
	}
	return err
}

// Latest returns the folder of the run in dir that began last.
func Latest(dir string) (run string, err error) {
	manifests, _ := filepath.Glob(filepath.Join(dir, "*", manifestFile))
	var began time.Time
	for _, path := range manifests {
		if m, err := ReadManifest(path); err == nil && (run == "" || m.StartedAt.After(began)) {
			run, began = filepath.Dir(path), m.StartedAt
		}
	}
	if run == "" {
		wd, _ := os.Getwd()
		return "", fmt.Errorf("no run under %s: name one, or measure one with cadence-bench ladder", filepath.Join(wd, dir))
	}
	return run, nil
}
