package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/internal/nearest"
	"github.com/cadence-bench/cadence-bench/report"
)

type compareFlags struct {
	rung                string
	metrics             []string
	slo                 time.Duration
	json, csv, markdown bool
}

func newCompare() *cobra.Command {
	var f compareFlags
	var keys []string
	for _, c := range analysis.Contrasts() {
		keys = append(keys, c.Key)
	}
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
		Args: func(cmd *cobra.Command, args []string) error { return fault.Input.Wrap(cobra.ExactArgs(2)(cmd, args)) },
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.OutOrStdout(), args[0], args[1]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.rung, "rung", "", "compare this rung of both runs only")
	flags.StringSliceVar(&f.metrics, "metric", nil, "metrics to compare, of "+strings.Join(keys, ", ")+" (default all)")
	flags.DurationVar(&f.slo, "slo", 0, "judge goodput and attainment by this objective (default the runs', the stricter if they differ)")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.csv, "csv", false, "print CSV: a line for every rung, rate and metric")
	flags.BoolVar(&f.markdown, "markdown", false, "print the tables as Markdown")
	return cmd
}

func (f *compareFlags) run(out io.Writer, nameA, nameB string) error {
	contrasts, err := f.contrasts()
	if err != nil {
		return fault.Input.Wrap(err)
	}
	if f.json && f.csv || f.json && f.markdown || f.csv && f.markdown {
		return fault.Input.Errorf("--json, --csv and --markdown: give one of them")
	}
	if f.slo < 0 {
		return fault.Input.Errorf("--slo must not be negative")
	}
	a, runA, err := f.arm(nameA, nil)
	if err != nil {
		return fault.Input.Wrap(err)
	}
	b, runB, err := f.arm(nameB, runA)
	if err != nil {
		return fault.Input.Wrap(err)
	}
	if (a.Rung == "") != (b.Rung == "") {
		return fault.Input.Errorf("%s and %s: name a rung of both or of neither", nameA, nameB)
	}
	c, err := analysis.Compare(a, b, contrasts)
	if err != nil {
		return fault.Input.Wrap(err)
	}
	if err := f.print(out, c, runA, runB); err != nil {
		return fault.Write.Wrap(err)
	}
	return nil
}

func (f *compareFlags) print(out io.Writer, c *analysis.Comparison, a, b *analysis.Run) error {
	switch {
	case f.json:
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(report.CompareRecordOf(c, a.Manifest, b.Manifest))
	case f.csv:
		_, err := out.Write(report.CompareOf(c, a.Manifest, b.Manifest).Deltas.CSV())
		return err
	}
	warnings := slices.Clone(a.Warnings)
	if b != a {
		warnings = append(warnings, b.Warnings...)
	}
	tables := report.CompareOf(c, a.Manifest, b.Manifest).Tables()
	for _, w := range warnings {
		tables[0].Notes = append(tables[0].Notes, w+".")
	}
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if f.markdown {
			if _, err := io.WriteString(out, t.Markdown()); err != nil {
				return err
			}
		} else if err := t.Text(out); err != nil {
			return err
		}
	}
	return nil
}

// contrasts are the chosen ones, in the order of tables.
func (f *compareFlags) contrasts() ([]analysis.Contrast, error) {
	all := analysis.Contrasts()
	if len(f.metrics) == 0 {
		return all, nil
	}
	var keys []string
	for _, c := range all {
		keys = append(keys, c.Key)
	}
	for _, key := range f.metrics {
		if !slices.Contains(keys, key) {
			return nil, fmt.Errorf("--metric: unknown metric %q; %s", key, nearest.Hint(key, keys))
		}
	}
	return slices.DeleteFunc(all, func(c analysis.Contrast) bool { return !slices.Contains(f.metrics, c.Key) }), nil
}

// arm loads what RUN or RUN:RUNG names. A run that is loaded is not loaded again.
func (f *compareFlags) arm(name string, loaded *analysis.Run) (analysis.Arm, *analysis.Run, error) {
	dir, rung := name, f.rung
	if _, err := os.Stat(name); err != nil {
		if i := strings.LastIndex(name, ":"); i > 0 {
			dir, rung = name[:i], name[i+1:]
			if f.rung != "" {
				return analysis.Arm{}, nil, fmt.Errorf("--rung: %s names a rung already", name)
			}
		}
	}
	run := loaded
	if loaded == nil || filepath.Clean(loaded.Dir) != filepath.Clean(dir) {
		var err error
		if run, err = analysis.Load(dir, analysis.Options{SLOS: f.slo.Seconds()}); err != nil {
			return analysis.Arm{}, nil, err
		}
	}
	if rung != "" && !slices.Contains(run.Rungs, rung) {
		return analysis.Arm{}, nil, fmt.Errorf("%s has no rung %q; %s", dir, rung, nearest.Hint(rung, run.Rungs))
	}
	return run.Arm(name, rung), run, nil
}
