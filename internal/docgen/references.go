package docgen

import (
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/admission/policies"
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/report/sweep"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/report/verdict"
	"github.com/cadence-bench/cadence-bench/results"
)

// references are what the code alone gives.
func references() map[string]string {
	budgets := verdict.Budgets(gate.Budgets())
	return map[string]string{
		"columns":             dictionary("column", results.Columns()),
		"step-columns":        dictionary("column", results.StepColumns()),
		"decision-columns":    dictionary("column", results.DecisionColumns()),
		"calibration-columns": dictionary("column", results.CalibrationColumns()),
		"summary-keys":        dictionary("key", results.SummaryKeys()),
		"rules":               "- " + strings.Join(results.Rules(), "\n- ") + "\n",
		"settings":            settings(),
		"admission-settings":  admissionSettings(),
		"check-bounds":        sweep.CheckBounds().Markdown(),
		budgets.Name:          budgets.Markdown(),
	}
}

// dictionary documents the columns of a file, or its keys.
func dictionary(what string, columns []results.Column) string {
	return table.New("", "", columns,
		table.Show(what, func(c results.Column) string { return "`" + c.Name + "`" }),
		table.Show("type", func(c results.Column) string { return string(c.Type) }),
		table.Show("unit", func(c results.Column) string { return c.Unit }),
		table.Show("what it is", func(c results.Column) string { return c.Doc }),
		table.Show("null means", func(c results.Column) string {
			if c.Null == "" {
				return "never null"
			}
			return c.Null
		})).Dense()
}

// settings documents the keys of a ladder's file.
func settings() string {
	return table.New("", "", spec.Reference(),
		table.Show("key", func(d spec.Doc) string { return "`" + d.Key + "`" }),
		table.Show("unit", func(d spec.Doc) string { return d.Unit }),
		table.Show("default", func(d spec.Doc) string { return d.Default }),
		table.Show("mechanism", func(d spec.Doc) string { return d.Mechanism }),
		table.Show("meaning", func(d spec.Doc) string { return d.Meaning })).Dense()
}

// admissionSettings documents the admission policies, each followed by its parameters.
func admissionSettings() string {
	var rows [][6]string
	for _, k := range policies.Kinds() {
		rows = append(rows, [6]string{"`" + k.Name + "`", "", "", "", "", fmt.Sprintf("%s (%s)", k.Doc, k.Source)})
		for _, p := range k.Params {
			rows = append(rows, [6]string{"", "`" + p.Name + "`", p.Unit, fmt.Sprintf("%g", p.Default), fmt.Sprintf("%g … %g", p.Min, p.Max), p.Doc})
		}
	}
	var columns []table.Col[[6]string]
	for i, heading := range []string{"policy", "parameter", "unit", "default", "range", "meaning"} {
		columns = append(columns, table.Show(heading, func(row [6]string) string { return row[i] }))
	}
	return table.New("", "", rows, columns...).Dense()
}
