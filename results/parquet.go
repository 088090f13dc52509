package results

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// WriteCell writes a cell and its rows as one Parquet file, which appears whole
// or not at all; equal arguments give equal bytes.
//
// Nothing measured is lost here: a row that breaks a rule (see Violations) and a
// number in cell that is not finite are written all the same, and named in the
// file's Cell.Violations, which make the cell invalid in reports. An error means
// that the disk refused; errors.Is finds syscall.ENOSPC in it.
func WriteCell(path string, cell Cell, records []Record) error {
	return cellTable.write(path, cell, records)
}

// ReadCell reads a file of WriteCell. Columns that it does not know are ignored,
// and a nullable column that is missing is null. The rows' violations are taken
// anew and added to those in the file. A file that is not a whole cell of this
// schema is an error that names it.
func ReadCell(path string) (Cell, []Record, error) { return cellTable.read(path) }

// checkSchema refuses JSON whose "schema" is not ours, before anything else in
// it is given a meaning.
func checkSchema(data []byte) error {
	var v struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if v.Schema != SchemaVersion {
		return fmt.Errorf("schema %d; this version of cadence-bench reads schema %d", v.Schema, SchemaVersion)
	}
	return nil
}

// madeFinite replaces what JSON cannot hold and says so: a probe becomes null,
// any other number 0.
func madeFinite(c *Cell) (violations []string) {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	for _, p := range []struct {
		name  string
		probe *Opt[Probe]
	}{{"probe_before", &c.ProbeBefore}, {"probe_after", &c.ProbeAfter}} {
		if v := p.probe.V; p.probe.OK && !(finite(v.PrefillTokensPerS) && finite(v.DecodeTokensPerS)) {
			violations = append(violations, fmt.Sprintf("%s was not finite (%v); stored as null", p.name, v))
			*p.probe = Opt[Probe]{}
		}
	}
	if v := c.ArrivalRPS; v.OK && !finite(v.V) {
		violations = append(violations, fmt.Sprintf("arrival_rps was not finite (%v); stored as null", v.V))
		c.ArrivalRPS = Opt[float64]{}
	}
	if v := c.OutstandingS; v.OK && !finite(v.V) {
		violations = append(violations, fmt.Sprintf("outstanding_s was not finite (%v); stored as null", v.V))
		c.OutstandingS = Opt[float64]{}
	}
	if v := c.Usage; v.OK && !(finite(v.V.CPUS) && finite(v.V.WallS)) {
		violations = append(violations, fmt.Sprintf("usage was not finite (%v); stored as null", v.V))
		c.Usage = Opt[Usage]{}
	}
	for _, n := range []struct {
		name  string
		value *float64
	}{
		{"offered_rps", &c.OfferedRPS}, {"duration_s", &c.DurationS}, {"warmup_s", &c.WarmupS},
		{"timeout_s", &c.TimeoutS}, {"slo_s", &c.SLOS}, {"ended_s", &c.EndedS},
		{"steps.model_s", &c.Steps.ModelS}, {"steps.host_s", &c.Steps.HostS}, {"steps.schedule_s", &c.Steps.ScheduleS},
	} {
		if !finite(*n.value) {
			violations = append(violations, fmt.Sprintf("%s was %v; stored as 0", n.name, *n.value))
			*n.value = 0
		}
	}
	return violations
}

// merge returns a, then what of b is not in a. It does not change a.
func merge(a, b []string) []string {
	a = slices.Clip(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}
