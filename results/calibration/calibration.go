// Package calibration reads calibrations, and holds the one that a simulation uses where there is no
// other: one of a named machine, whose rows are beside it.
package calibration

import (
	"embed"
	"fmt"

	"github.com/cadence-bench/cadence-bench/internal/regular"
	"github.com/cadence-bench/cadence-bench/results"
)

//go:embed calibration.json
var files embed.FS

// Name is the file's.
const Name = "calibration.json"

// Default returns the calibration and the SHA-256 of its file.
func Default() (c results.Calibration, sha256 string, err error) {
	data, err := files.ReadFile(Name)
	if err != nil {
		return c, "", err
	}
	c, err = results.ParseCalibration(data)
	if err != nil {
		return c, "", fmt.Errorf("the calibration of this build: %w", err)
	}
	return c, results.HashBytes(data), nil
}

// Open reads a file and its SHA-256; "" is Default.
func Open(file string) (c results.Calibration, sha256 string, err error) {
	if file == "" {
		return Default()
	}
	data, err := regular.ReadFile(file)
	if err != nil {
		return c, "", err
	}
	if c, err = results.ParseCalibration(data); err != nil {
		return c, "", fmt.Errorf("read %s: %w", file, err)
	}
	return c, results.HashBytes(data), nil
}
