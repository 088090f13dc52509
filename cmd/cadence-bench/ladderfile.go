package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/report/table"
)

func newLadderList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the built-in ladders and their rungs",
		Example: "  cadence-bench ladder list",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return listLadders(cmd.OutOrStdout())
		},
	}
}

func listLadders(out io.Writer) error {
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
		writeRungs(out, l.Rungs)
	}
	return nil
}

// writeRungs lists rungs, each with what it adds.
func writeRungs(out io.Writer, rungs []spec.Rung) {
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

func newLadderCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE|NAME",
		Short: "Say what each rung of a ladder changes against the one below",
		Long: `Read a ladder and print, for each rung, the settings in which it differs from the rung
below it. A rung that changes more than one mechanism is warned of: what it gains or
loses cannot be put down to either. The rung below is the nearest one before it that is
not optional or, for an optional rung, the nearest one.

Warnings do not change the exit code; an error, which is one line with the file and the
line, does (2). docs/ladders.md says which settings make up a mechanism.`,
		Example: `  cadence-bench ladder check cadence
  cadence-bench ladder check my-ladder.yaml`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := spec.Open(args[0])
			if err != nil {
				return fault.Input.Wrap(err)
			}
			return checkLadder(cmd.OutOrStdout(), l)
		},
	}
}

// checkLadder prints the steps of a ladder, and what is to be said against them.
func checkLadder(out io.Writer, l *spec.Ladder) error {
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
