package results

import (
	"slices"
	"time"
)

// CalibrationRow is one step that a calibration measured.
type CalibrationRow struct {
	Setting
	Kind  string // prefill, decode, mixed, hit or scheduled
	Round int32
	Point string
	// Model, Host and Loop are parts of the step's time; see the column dictionary.
	Model, Host, Loop time.Duration
	// Work is how much of each term the step has, in the order of CalibrationTerms.
	Work [16]float64
}

// calibrationTerms are the twin's terms, by name, with what they count.
var calibrationTerms = [...]struct{ name, unit, doc string }{
	{"step", "", "1: what the host does whatever the rows"},
	{"pass_1", "passes", "passes of one row"},
	{"pass_2", "passes", "passes of 2 or 3 rows"},
	{"pass_4", "passes", "passes of 4 to 31 rows"},
	{"pass_32", "passes", "passes of 32 rows and more"},
	{"row_2", "tokens", "rows in passes of 2 or 3"},
	{"row_4", "tokens", "rows in passes of 4 to 31"},
	{"row_32", "tokens", "rows in passes of 32 and more"},
	{"output", "tokens", "rows that gave a token"},
	{"stream", "", "sequences with rows, summed over passes"},
	{"attend_decode", "cells", "rows times padded KV width, summed over passes with fewer than 64 rows a stream, where attention goes row by row"},
	{"attend_prefill", "cells", "the same over passes with more, where it goes by tiles"},
	{"copy", "", "copies of sequences"},
	{"copy_cell", "cells", "KV cells that they moved"},
	{"remove", "", "removals of sequences or of their tails"},
	{"scan_cell", "cells", "KV cells that edits looked through"},
}

// CalibrationTerms returns the names of the terms in a row's Work.
func CalibrationTerms() []string {
	var names []string
	for _, t := range calibrationTerms {
		names = append(names, t.name)
	}
	return names
}

var calibrationTable = table[CalibrationRow]{
	name: "calibration", key: "cadence.calibration", what: "the rows of a calibration",
	columns: slices.Concat(calibrationColumns, workColumns()),
	weight:  func(*CalibrationRow) int { return 1 },
	check:   func([]CalibrationRow) []string { return nil },
}

var calibrationColumns = []column[CalibrationRow]{
	{Column{"kv_layout", String, "", "", "unified or streams"},
		required(func(r *CalibrationRow) *string { return &r.KVLayout }, text, unText[string]), false},
	{Column{"flash_attn", String, "", "", "flash attention: on or off"},
		required(func(r *CalibrationRow) *string { return &r.FlashAttn }, text, unText[string]), false},
	{Column{"threads", Int32, "", "", "threads in passes of one row"},
		required(func(r *CalibrationRow) *int { return &r.Threads }, narrow, widen), false},
	{Column{"threads_batch", Int32, "", "", "threads in passes of more"},
		required(func(r *CalibrationRow) *int { return &r.ThreadsBatch }, narrow, widen), false},
	{Column{"kind", String, "", "", "what the step was to show: prefill, decode, mixed or hit of a script, or scheduled"},
		required(func(r *CalibrationRow) *string { return &r.Kind }, text, unText[string]), false},
	{Column{"round", Int32, "", "", "repetition of the script"},
		required(func(r *CalibrationRow) *int32 { return &r.Round }, same, same), false},
	{Column{"point", String, "", "", "design point of the script, or stretch of a scheduled run; rows of one kind and point are held out together"},
		required(func(r *CalibrationRow) *string { return &r.Point }, text, unText[string]), false},
	{Column{"model_ns", Int64, "ns", "", "time inside the forward pass"},
		required(func(r *CalibrationRow) *time.Duration { return &r.Model }, ns, duration), true},
	{Column{"host_ns", Int64, "ns", "", "the rest of the backend's time"},
		required(func(r *CalibrationRow) *time.Duration { return &r.Host }, ns, duration), true},
	{Column{"loop_ns", Int64, "ns", "", "what the engine took besides: commit, plan and hand-over; 0 in a script, which has none"},
		required(func(r *CalibrationRow) *time.Duration { return &r.Loop }, ns, duration), true},
}

func workColumns() []column[CalibrationRow] {
	var columns []column[CalibrationRow]
	for i, t := range calibrationTerms {
		columns = append(columns, column[CalibrationRow]{
			Column{t.name, Double, t.unit, "", "work: " + t.doc},
			required(func(r *CalibrationRow) *float64 { return &r.Work[i] }, same, same), false,
		})
	}
	return columns
}

func narrow(n int) int32 { return int32(n) }
func widen(n int32) int  { return int(n) }

// WriteCalibrationRows writes the rows of a calibration as one Parquet file, which
// appears whole or not at all; equal rows give equal bytes.
func WriteCalibrationRows(path string, rows []CalibrationRow) error {
	return calibrationTable.write(path, Cell{}, rows)
}

// ReadCalibrationRows reads a file of WriteCalibrationRows.
func ReadCalibrationRows(path string) ([]CalibrationRow, error) {
	_, rows, err := calibrationTable.read(path)
	return rows, err
}

// CalibrationColumns returns the column dictionary of a calibration's rows.
func CalibrationColumns() []Column { return calibrationTable.docs() }
