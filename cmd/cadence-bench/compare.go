package main

import (
	"cmp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/report/compared"
)

type compareFlags struct {
	rung                string
	metrics             []string
	slo                 time.Duration
	json, csv, markdown bool
}

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two runs, or two rungs, request by request",
		Long: `Compare B with A: two run folders, each rung with itself, or two rungs as RUN:RUNG.
Cells are paired by offered rate, seed and tape, and their requests by index, so that
both sides answered the very same load. For each rung, rate and metric it gives the
difference, its 95% interval over seeds and requests, whether B is better, worse, no
difference was detected or nobody can tell, and the smallest difference that such a
sample could have shown. docs/method-metrics.md has the method, under "Comparing".

It says first what differs between what made the two, and how fast the machine was
beside each. Cells without a partner and void cells are named and left out. What was
found does not change the exit code: it is 0 when there was something to compare, and
2 when A and B have no tape in common.`,
		Example: `  cadence-bench compare runs/before runs/after
  cadence-bench compare runs/mine:continuous runs/mine:prefix --metric goodput_rps,e2e_p99_s
  cadence-bench compare runs/before runs/after --rung prefix --slo 2s --json`,
		Args: arguments(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], args[1]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.rung, "rung", "", "compare this rung of both runs only")
	flags.StringSliceVar(&f.metrics, "metric", nil, "metrics to compare, of "+strings.Join(compare.ContrastKeys(), ", ")+" (default all)")
	flags.DurationVar(&f.slo, "slo", 0, "judge goodput and attainment by this objective (default the runs', the stricter if they differ)")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.csv, "csv", false, "print CSV: a line for every rung, rate and metric")
	flags.BoolVar(&f.markdown, "markdown", false, "print the tables as Markdown")
	return cmd
}

func (f *compareFlags) run(cmd *cobra.Command, nameA, nameB string) error {
	if f.json && f.csv || f.json && f.markdown || f.csv && f.markdown {
		return fault.Input.Errorf("--json, --csv and --markdown: give one of them")
	}
	if f.slo < 0 {
		return fault.Input.Errorf("--slo must not be negative")
	}
	contrasts, err := compare.ContrastsOf(f.metrics)
	if err != nil {
		return fault.Input.Errorf("--metric: %w", err)
	}
	a, b, err := compare.OpenArms(nameA, nameB, f.rung, analysis.Options{SLOS: f.slo.Seconds()})
	if err != nil {
		return fault.Input.Wrap(err)
	}
	c, err := compare.Arms(a.Arm, b.Arm, contrasts)
	if err != nil {
		return fault.Input.Wrap(err)
	}
	format := "text"
	switch {
	case f.json:
		format = "json"
	case f.csv:
		format = "csv"
	case f.markdown:
		format = "markdown"
	}
	if err := compared.Write(cmd.OutOrStdout(), format, c, a.Run, b.Run); err != nil {
		return fault.Write.Wrap(err)
	}
	return cmp.Or(a.Run.Whole(), b.Run.Whole())
}
