package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/analysis"
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
		Long: `Make every table and chart of a run from its Parquet files: report.md, report.html,
tables, charts and summary.json, written into the run's folder, and print the summary.
Without RUN it takes the latest run under runs/. tables/ has every table as CSV and JSON
too, with the numbers as they were computed; --table prints one and writes nothing.

Documents embed tables between <!-- cadence:begin NAME --> and <!-- cadence:end -->.
--embed brings these up to date; --check changes nothing and fails when one, or a file in
the run's tables/, differs from what the data gives.`,
		Example: `  cadence-bench report
  cadence-bench report runs/mine --slo 4s
  cadence-bench report results/runs/ladder --table summary --format csv
  cadence-bench report results/runs/ladder --check`,
		Args: func(cmd *cobra.Command, args []string) error {
			return coded(exitInput, cobra.MaximumNArgs(1)(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := runFolder(args)
			if err != nil {
				return coded(exitInput, err)
			}
			if f.table == "" && cmd.Flags().Changed("format") {
				return coded(exitInput, errors.New("--format is of one table: name it with --table"))
			}
			return f.run(cmd.OutOrStdout(), dir, cmd.Flags().Changed("warmup"))
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.slo, "slo", 0, "recompute goodput and attainment at this objective (default the run's)")
	flags.DurationVar(&f.warmup, "warmup", 0, "start of the steady window (default the run's)")
	flags.DurationVar(&f.cooldown, "cooldown", 0, "leave out the arrivals of this last part")
	flags.StringVar(&f.out, "out", "", "folder to write to (default the run's own or, with another objective or window, what-if in it)")
	flags.BoolVar(&f.embed, "embed", false, "bring the tables in --docs up to date")
	flags.BoolVar(&f.check, "check", false, "compare the tables in --docs and in the run's tables/ with the data, and write nothing")
	flags.StringSliceVar(&f.docs, "docs", nil, "documents that embed tables (default README.md and docs/*.md)")
	flags.StringVar(&f.table, "table", "", "print this table, such as summary, and write nothing")
	flags.StringVar(&f.format, "format", tableFormats[0], "how --table prints: "+strings.Join(tableFormats, ", "))
	return cmd
}

func (f *reportFlags) run(out io.Writer, dir string, warmupSet bool) error {
	options := analysis.Options{SLOS: f.slo.Seconds(), CooldownS: f.cooldown.Seconds()}
	if warmupSet {
		options.WarmupS = results.Some(f.warmup.Seconds())
	}
	if f.slo < 0 || f.warmup < 0 || f.cooldown < 0 {
		return coded(exitInput, errors.New("--slo, --warmup and --cooldown must not be negative"))
	}
	own := options == (analysis.Options{})
	if !own && (f.embed || f.check) {
		return coded(exitInput, errors.New("--slo, --warmup and --cooldown give other figures than documents and kept tables have: without --embed and --check"))
	}
	if !own && f.out != "" && sameFolder(f.out, dir) {
		return coded(exitInput, fmt.Errorf("--out %s is the run's own folder, whose report has the run's own SLO and window: name another", f.out))
	}
	if f.table != "" && (f.embed || f.check) {
		return coded(exitInput, errors.New("--table prints one table: without --embed and --check"))
	}
	if !slices.Contains(tableFormats, f.format) {
		return coded(exitInput, fmt.Errorf("--format %q: want one of %s", f.format, strings.Join(tableFormats, ", ")))
	}
	run, err := analysis.Load(dir, options)
	if err != nil {
		return coded(exitInput, err)
	}
	r, err := report.Of(run)
	if err != nil {
		return err
	}
	if f.table != "" {
		return printTable(out, r, f.table, f.format)
	}
	if f.out == "" {
		f.out = dir
		if !own {
			f.out = filepath.Join(dir, "what-if")
		}
	}
	if f.embed || f.check {
		return f.documents(out, r)
	}
	files, err := r.Write(f.out)
	if err != nil {
		return coded(exitWrite, err)
	}
	if err := r.Brief.Text(out); err != nil {
		return coded(exitWrite, err)
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

// sameFolder reports whether two paths are one folder.
func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// documents embeds the report's tables or checks them.
func (f *reportFlags) documents(out io.Writer, r *report.Report) error {
	docs := f.docs
	if docs == nil {
		docs, _ = filepath.Glob("docs/*.md")
		docs = append([]string{"README.md"}, docs...)
	}
	blocks, err := fitBlocks()
	if err != nil {
		return err
	}
	maps.Copy(blocks, r.Blocks())
	set := embed.Set{Mark: "cadence", Remedy: "cadence-bench report", Blocks: blocks}
	if f.check {
		err := errors.Join(set.Check(docs), r.CheckTables(f.out))
		if err == nil {
			fmt.Fprintf(out, "%d documents agree with the data\n", len(docs))
		}
		return coded(exitDrift, err)
	}
	changed, err := set.Write(docs)
	for _, file := range changed {
		fmt.Fprintln(out, "updated", file)
	}
	return coded(exitInput, err)
}

// runFolder returns the folder of the run to report: the one named, or the
// latest one under runs/.
func runFolder(args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	manifests, _ := filepath.Glob(filepath.Join("runs", "*", "manifest.json"))
	type candidate struct {
		dir     string
		started time.Time
	}
	var runs []candidate
	for _, path := range manifests {
		if m, err := results.ReadManifest(path); err == nil {
			runs = append(runs, candidate{filepath.Dir(path), m.StartedAt})
		}
	}
	if len(runs) == 0 {
		wd, _ := os.Getwd()
		return "", fmt.Errorf("no run under %s: name one, or measure one with cadence-bench ladder", filepath.Join(wd, "runs"))
	}
	latest := slices.MaxFunc(runs, func(a, b candidate) int { return a.started.Compare(b.started) })
	return latest.dir, nil
}
