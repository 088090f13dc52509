package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/report"
)

func newTape() *cobra.Command {
	return group("tape", "Make, inspect and identify tapes of requests", newTapeMake(), newTapeInspect(), newTapeHash())
}

// tapeFlags are the flags of `tape make` as they were written.
type tapeFlags struct {
	workload, arrivals, rate, out string
	seed                          uint64
	duration                      time.Duration
}

func newTapeMake() *cobra.Command {
	var f tapeFlags
	cmd := &cobra.Command{
		Use:   "make",
		Short: "Write a tape",
		Long: `Write the frozen list of requests that a workload and an arrival process give for a
rate and a seed, as JSON lines (.jsonl) or Parquet (.parquet). The same values give the
same tape, and ladder --workload trace:FILE offers it.

Workloads, with the defaults of their parameters:
` + loadgen.WorkloadsHelp + `

Parameters of a trace: format=` + strings.Join(loadgen.Formats(), "|") + ` (else told from
the file), limit=N (rows), scale=F (of its token counts); of ShareGPT also turns=N and
think=2s, which make sessions of its conversations.

Arrivals; factors are relative to each other, and the rate is the mean over the duration:
` + loadgen.ArrivalsHelp,
		Example: `  cadence-bench tape make --rate 2 --duration 60s --out mine.jsonl
  cadence-bench tape make --workload bimodal:short=32,long=400,share=0.2 --arrivals gamma:burstiness=0.5 --rate 2 --out bursty.parquet
  cadence-bench tape make --workload sessions:turns=4,think=2s --arrivals spike:at=30s,for=10s,to=5 --rate 2 --out talk.jsonl`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.OutOrStdout()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.workload, "workload", loadgen.SharedPrompt, "what requests say")
	flags.StringVar(&f.arrivals, "arrivals", "", "when they come (default a trace's own times, else poisson)")
	flags.StringVar(&f.rate, "rate", "recorded", "offered requests per second in the mean, or recorded: that of the trace")
	flags.Uint64Var(&f.seed, "seed", 1, "seed")
	flags.DurationVar(&f.duration, "duration", 60*time.Second, "how long arrivals are offered")
	flags.StringVar(&f.out, "out", "", "file to write, .jsonl or .parquet")
	return cmd
}

func (f *tapeFlags) run(out io.Writer) error {
	write, err := tapeWriter(f.out)
	if err != nil {
		return coded(exitInput, err)
	}
	tape, err := f.tape()
	if err != nil {
		return coded(exitInput, err)
	}
	if err := writeTape(f.out, tape, write); err != nil {
		return coded(exitWrite, err)
	}
	fmt.Fprintf(out, "%s  %s: %d requests\n", tape.Hash(), f.out, len(tape.Requests))
	return nil
}

func (f *tapeFlags) tape() (*loadgen.Tape, error) {
	load, err := loadgen.OpenLoad(f.workload, f.arrivals)
	if err != nil {
		return nil, err
	}
	rate, ok := load.RecordedRate()
	if f.rate != "recorded" {
		if rate, err = strconv.ParseFloat(f.rate, 64); err != nil {
			return nil, fmt.Errorf("--rate: %q is not a number of requests per second", f.rate)
		}
	} else if !ok {
		return nil, fmt.Errorf("--rate: give requests per second; %s has no recorded rate", load.Workload)
	}
	return load.Make(rate, f.seed, f.duration)
}

func tapeWriter(file string) (func(*loadgen.Tape, io.Writer) error, error) {
	switch filepath.Ext(file) {
	case ".jsonl":
		return (*loadgen.Tape).WriteJSONL, nil
	case ".parquet":
		return (*loadgen.Tape).WriteParquet, nil
	}
	return nil, fmt.Errorf("--out: %q: give a file that ends in .jsonl or .parquet", file)
}

// writeTape writes a file that is whole or not there.
func writeTape(file string, t *loadgen.Tape, write func(*loadgen.Tape, io.Writer) error) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".tape-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	err = errors.Join(write(t, tmp), tmp.Chmod(0o644), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

func newTapeInspect() *cobra.Command {
	return &cobra.Command{
		Use:     "inspect FILE...",
		Short:   "Print what tapes hold",
		Example: "  cadence-bench tape inspect mine.jsonl",
		Args:    someFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			return eachTape(files, func(file string, t *loadgen.Tape) error {
				return coded(exitWrite, tapeTable(file, t).Text(cmd.OutOrStdout()))
			})
		},
	}
}

func newTapeHash() *cobra.Command {
	return &cobra.Command{
		Use:     "hash FILE...",
		Short:   "Print the SHA-256 of tapes, which manifests record",
		Example: "  cadence-bench tape hash mine.jsonl bursty.parquet",
		Args:    someFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			return eachTape(files, func(file string, t *loadgen.Tape) error {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  %s\n", t.Hash(), file)
				return coded(exitWrite, err)
			})
		},
	}
}

func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return coded(exitInput, errors.New("name a tape: a file of tape make"))
	}
	return nil
}

func eachTape(files []string, do func(string, *loadgen.Tape) error) error {
	for _, file := range files {
		t, err := loadgen.ReadTape(file)
		if errors.As(err, new(*fs.PathError)) {
			return coded(exitInput, err)
		}
		if err != nil {
			return coded(exitInput, fmt.Errorf("%w; a tape is what tape make writes, of a trace too", err))
		}
		if err := do(file, t); err != nil {
			return err
		}
	}
	return nil
}

// tapeTable describes a tape.
func tapeTable(file string, t *loadgen.Tape) report.Table {
	f := loadgen.Describe(t)
	table := report.Table{
		Title:   "Tape " + file,
		Caption: fmt.Sprintf("%s, arrivals %s, seed %d, %v at %g requests/s", t.Workload, t.Arrivals, t.Seed, t.Duration, t.RPS),
		Columns: []report.Column{{Name: "what", Left: true}, {Name: "value"}},
	}
	row := func(what, value string) { table.Rows = append(table.Rows, []string{what, value}) }
	measured := func(x float64) string {
		if math.IsNaN(x) {
			return "too few arrivals"
		}
		return fmt.Sprintf("%.3f", x)
	}
	lengths := func(sorted []int) string {
		at := func(p float64) int { return sorted[int(p*float64(len(sorted)-1))] }
		return fmt.Sprintf("%d / %d / %d / %d", sorted[0], at(0.5), at(0.95), sorted[len(sorted)-1])
	}
	row("requests", fmt.Sprint(f.Requests))
	row("requests/s over the duration", fmt.Sprintf("%.3f", f.RPS))
	row("arrivals that come by themselves", fmt.Sprint(f.Arrivals))
	row("their gaps: coefficient of variation", measured(f.Gaps.CV))
	row(fmt.Sprintf("their index of dispersion, windows of %d", loadgen.DispersionWindow), measured(f.Gaps.Dispersion))
	row("prompt, words: min / p50 / p95 / max", lengths(f.Prompt))
	row("requested output, tokens", lengths(f.MaxTokens))
	row("natural output, tokens", lengths(f.StopTokens))
	row("prompt words that an earlier prompt began with", fmt.Sprintf("%.1f%%", 100*f.Shared))
	row("shared prefixes", fmt.Sprint(f.Groups))
	for _, class := range slices.Sorted(maps.Keys(f.Classes)) {
		row("class "+class, fmt.Sprint(f.Classes[class]))
	}
	if f.Sessions > 0 {
		row("sessions", fmt.Sprint(f.Sessions))
		row("turns of the longest", fmt.Sprint(f.MaxTurns))
	}
	row("SHA-256", t.Hash())
	return table
}
