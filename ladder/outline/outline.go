// Package outline says what a ladder is, without measuring anything: the built-in ladders, what
// each rung changes against the one below, and the cells that a sweep would measure.
package outline

import (
	"fmt"
	"io"

	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// List shows the built-in ladders and their rungs.
func List(out io.Writer) error {
	for i, name := range spec.BuiltIn() {
		l, err := spec.Open(name)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		standard := ""
		if name == spec.Default {
			standard = " (the default)"
		}
		fmt.Fprintf(out, "%s%s: %s\n", l.Name, standard, l.Description)
		Rungs(out, l.Rungs)
	}
	return nil
}

// Rungs lists rungs, each with what it adds.
func Rungs(out io.Writer, rungs []spec.Rung) {
	width := len("continuous")
	for _, r := range rungs {
		width = max(width, len(r.Name))
	}
	for _, r := range rungs {
		optional := ""
		if r.Optional {
			optional = " (only when named)"
		}
		fmt.Fprintf(out, "  %-*s  %s%s\n", width, r.Name, r.Adds, optional)
	}
}

// Check prints the steps of a ladder, and what is to be said against them.
func Check(out io.Writer, l *spec.Ladder) error {
	fmt.Fprintf(out, "%s: %s\n", l.Name, l.Description)
	warnings := 0
	for _, s := range ladder.Steps(l.Rungs) {
		fmt.Fprintf(out, "\n%s: %s\n", s.Rung.Name, s.Rung.Adds)
		if len(s.Changes) > 0 {
			if err := changesTable(s).Text(out); err != nil {
				return err
			}
		}
		if w := s.Warning(); w != "" {
			warnings++
			fmt.Fprintf(out, "warning: %s\n", w)
		}
	}
	verdict := "every rung changes one mechanism"
	if warnings > 0 {
		verdict = fmt.Sprintf("%d warning(s)", warnings)
	}
	fmt.Fprintf(out, "\n%d rungs, %s\n", len(l.Rungs), verdict)
	return nil
}

func changesTable(s ladder.Step) table.Table {
	return table.New("", "", s.Changes,
		table.Show("setting", func(c spec.Change) string { return c.Key }).Left(),
		table.Show("mechanism", func(c spec.Change) string { return c.Mechanism }).Left(),
		table.Show(s.Below.Name, func(c spec.Change) string { return c.Below }).Left(),
		table.Show(s.Rung.Name, func(c spec.Change) string { return c.Here }).Left())
}
