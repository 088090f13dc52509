package main

import (
	"maps"

	"github.com/cadence-bench/cadence-bench/results/calibration"
)

// methodBlocks are tables of this repository's documents: the kept fit, the gate on the
// real engine and the calibration that this build has.
func methodBlocks() (map[string]string, error) {
	blocks, err := fitBlocks()
	if err != nil {
		return nil, err
	}
	gates, err := realBlocks()
	if err != nil {
		return nil, err
	}
	c, _, err := calibration.Default()
	if err != nil {
		return nil, err
	}
	all := map[string]string{
		"calibration-speeds": speedsTable(&c).Markdown(), "calibration-costs": costsTable(&c).Markdown(),
		"calibration-error": errorsTable(&c).Markdown(),
	}
	maps.Copy(all, blocks)
	maps.Copy(all, gates)
	return all, nil
}
