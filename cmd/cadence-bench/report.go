package main

import (
	"errors"
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
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/report/embed"
	"github.com/cadence-bench/cadence-bench/results"
)

type reportFlags struct {
	slo, warmup, cooldown time.Duration
	embed, check          bool
	docs                  []string
	out                   string
	table, format         string
}

func newReport() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report [RUN]",
		Short: "Make the tables, charts and page of a run",
		Long: `Compute every table and chart of a run from its Parquet files, write them into the
run's folder (report.md, report.html, tables, charts, summary.json), and print the
summary. Without RUN, report takes the latest run under runs/. The folder tables has
every table as Markdown, and as CSV and JSON with unrounded numbers. --table prints one
table and writes nothing.

A document embeds a table between two lines, <!-- cadence:begin NAME --> and
<!-- cadence:end -->. --embed fills these blocks; --check writes nothing, and fails when
a block or a file in tables differs from the data.`,
		Example: `  cadence-bench report
  cadence-bench report runs/mine --slo 4s
  cadence-bench report results/runs/ladder --table summary --format csv
  cadence-bench report results/runs/ladder --check`,
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			options := analysis.Options{SLOS: f.slo.Seconds(), CooldownS: f.cooldown.Seconds()}
			if cmd.Flags().Changed("warmup") {
				options.WarmupS = results.Some(f.warmup.Seconds())
			}
			dir, err := f.folder(args)
			if err != nil {
				return err
			}
			if err := f.valid(dir, options, cmd.Flags().Changed("format")); err != nil {
				return fault.Input.Wrap(err)
			}
			run, err := analysis.Load(dir, options)
			if err != nil {
				return fault.Input.Wrap(err)
			}
			for _, w := range run.Warnings {
				fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
			}
			if err := f.run(cmd.OutOrStdout(), run); err != nil {
				return err
			}
			return run.Whole()
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.slo, "slo", 0, "compute goodput and attainment for this objective (default the run's)")
	flags.DurationVar(&f.warmup, "warmup", 0, "start of the steady window (default the run's)")
	flags.DurationVar(&f.cooldown, "cooldown", 0, "leave out the arrivals of this last part of each cell")
	flags.StringVar(&f.out, "out", "", "folder to write to (default the run's own or, with another objective or window, what-if in it)")
	flags.BoolVar(&f.embed, "embed", false, "fill the blocks of the documents in --docs")
	flags.BoolVar(&f.check, "check", false, "compare the blocks in --docs and the files in the run's tables with the data, and write nothing")
	flags.StringSliceVar(&f.docs, "docs", nil, "documents with blocks (default README.md and docs/*.md)")
	flags.StringVar(&f.table, "table", "", "print this table, such as summary, and write nothing")
	flags.StringVar(&f.format, "format", report.TableFormats()[0], "how --table prints: "+strings.Join(report.TableFormats(), ", "))
	return cmd
}

// valid says which flags contradict each other. Another objective or window than the run's
// own gives other figures than those that are kept.
func (f *reportFlags) valid(dir string, options analysis.Options, formatSet bool) error {
	other := options != analysis.Options{}
	switch {
	case f.table == "" && formatSet:
		return errors.New("--format applies to one table: name it with --table")
	case f.slo < 0 || f.warmup < 0 || f.cooldown < 0:
		return errors.New("--slo, --warmup and --cooldown must not be negative")
	case other && (f.embed || f.check):
		return errors.New("--slo, --warmup and --cooldown change the figures; --embed and --check need those of the run itself")
	case other && f.out != "" && sameFolder(f.out, dir):
		return fmt.Errorf("--out %s is the run's own folder, which keeps the report with the run's own SLO and window: name another", f.out)
	case f.table != "" && (f.embed || f.check):
		return errors.New("--table prints one table; it does not go with --embed or --check")
	case !slices.Contains(report.TableFormats(), f.format):
		return fmt.Errorf("--format %q: want one of %s", f.format, strings.Join(report.TableFormats(), ", "))
	case f.out == "" && other:
		f.out = filepath.Join(dir, "what-if")
	case f.out == "":
		f.out = dir
	}
	return nil
}

// sameFolder reports whether two paths are one folder.
func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (f *reportFlags) run(out io.Writer, run *analysis.Run) error {
	r, err := report.Of(run)
	switch {
	case err != nil:
		return err
	case f.table != "":
		data, err := r.Table(f.table, f.format)
		if err != nil {
			return err
		}
		_, err = out.Write(data)
		return fault.Write.Wrap(err)
	case f.embed || f.check:
		return f.documents(out, r)
	}
	files, err := r.Write(f.out)
	if err != nil {
		return fault.Write.Wrap(err)
	}
	if err := r.Brief.Text(out); err != nil {
		return fault.Write.Wrap(err)
	}
	fmt.Fprintln(out)
	for _, file := range files {
		switch filepath.Ext(file) {
		case ".png", ".html", ".json":
			fmt.Fprintln(out, file)
		}
	}
	return nil
}

// documents embeds the report's tables or checks them.
func (f *reportFlags) documents(out io.Writer, r *report.Report) error {
	docs := f.docs
	if docs == nil {
		docs, _ = filepath.Glob("docs/*.md")
		docs = append([]string{"README.md"}, docs...)
	}
	set := embed.Set{Mark: "cadence", Remedy: "cadence-bench report", Blocks: r.Blocks()}
	if f.check {
		if err := errors.Join(set.Check(docs), r.CheckTables(f.out)); err != nil {
			return fault.Drift.Wrap(err)
		}
		fmt.Fprintf(out, "%d documents agree with the data\n", len(docs))
		return nil
	}
	changed, err := set.Write(docs)
	for _, file := range changed {
		fmt.Fprintln(out, "updated", file)
	}
	return fault.Input.Wrap(err)
}

// folder is the run that the command line names, else the latest one under runs/. What
// documents show is seldom the latest, so a check names the runs that are kept.
func (f *reportFlags) folder(args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	dir, err := results.Latest("runs")
	if kept, _ := results.Latest(keptRuns); err != nil && f.check && kept != "" {
		err = fmt.Errorf("no run under runs: name the one that the documents show, such as cadence-bench report %s --check", kept)
	}
	return dir, fault.Input.Wrap(err)
}

// keptRuns is where a checkout has the runs that its documents show.
var keptRuns = filepath.Join("results", "runs")
