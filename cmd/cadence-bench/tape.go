package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/loadgen/recording"
	"github.com/cadence-bench/cadence-bench/report/loadcheck"
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

Parameters of a trace: format=` + strings.Join(recording.Formats(), "|") + ` (else told from
the file), limit=N (rows), scale=F (of its token counts); of ShareGPT also turns=N and
think=2s, which make sessions of its conversations.

Arrivals; factors are relative to each other, and the rate is the mean over the duration:
` + arrival.Help,
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
	if err := loadgen.CheckTapeName(f.out); err != nil {
		return fault.Input.Errorf("--out: %w", err)
	}
	tape, err := f.tape()
	if err != nil {
		return fault.Input.Wrap(err)
	}
	if err := tape.WriteFile(f.out); err != nil {
		return fault.Write.Wrap(err)
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

func newTapeInspect() *cobra.Command {
	return &cobra.Command{
		Use:     "inspect FILE...",
		Short:   "Print what tapes hold",
		Example: "  cadence-bench tape inspect mine.jsonl",
		Args:    someFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			return eachTape(files, func(file string, t *loadgen.Tape) error {
				return fault.Write.Wrap(loadcheck.Tape(file, t).Text(cmd.OutOrStdout()))
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
				return fault.Write.Wrap(err)
			})
		},
	}
}

func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fault.Input.Errorf("name a tape: a file that tape make wrote")
	}
	return nil
}

func eachTape(files []string, do func(string, *loadgen.Tape) error) error {
	for _, file := range files {
		t, err := loadgen.ReadTape(file)
		if errors.As(err, new(*fs.PathError)) {
			return fault.Input.Wrap(err)
		}
		if err != nil {
			return fault.Input.Errorf("%w; a tape is what tape make writes, also from a trace", err)
		}
		if err := do(file, t); err != nil {
			return err
		}
	}
	return nil
}
