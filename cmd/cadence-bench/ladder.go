package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/live"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/outline"
	"github.com/cadence-bench/cadence-bench/ladder/session"
	"github.com/cadence-bench/cadence-bench/results"
)

// ladderFlags are the flags of `ladder` as they were written.
type ladderFlags struct {
	session.Options
	flags  ladder.Flags
	serve  string
	resume bool
	twin   twinFlags
	// adjust changes the preset, before the flags do; nil does not.
	adjust func(*ladder.Config)
}

func newLadder(where func() places) *cobra.Command {
	f := ladderFlags{}
	cmd := &cobra.Command{
		Use:   "ladder",
		Short: "Measure the ladder on the embedded engine",
		Long: `Measure every rung of the ladder at every offered rate and seed, rate by rate with
the order of the rungs rotated, each cell on a fresh engine with a speed probe
before and after it. Every finished cell is kept at once, and an interrupted sweep
continues with --resume.

Threads, KV layout, flash attention, rates, SLO and, in a unified cache, how much of
it may be idle are chosen by short measurements of the engine unless given. Flags
change the preset.

Each --target is a server that is measured as a further rung, on the same tapes and in
the same rotation: any server with OpenAI's API, or llama-server. --rungs none measures
servers alone. A key, if a server wants one, is read from CADENCE_API_KEY.

The rungs of the default ladder, each with what it changes against the one below;
--ladder takes another built-in ladder or a file (docs/ladders.md):
` + rungsHelp(),
		Example: `  cadence-bench ladder --preset quick
  cadence-bench ladder --preset smoke --rungs fifo,continuous --out runs/mine
  cadence-bench ladder --model my-model.gguf --rates 0.5,1,2 --slo 4s --seeds 1,2,3
  cadence-bench ladder --workload sessions:turns=4,think=2s --arrivals gamma:burstiness=0.5
  cadence-bench ladder --preset full --replicates 2 --anchor prefix
  cadence-bench ladder --out runs/mine --resume
  cadence-bench ladder --target llama-server=http://localhost:8080 --api llama
  cadence-bench ladder --rungs none --target vllm=http://gpu:8000 --api chat --rates 1,2,4 --slo 4s
  cadence-bench ladder --ladder kv --kv-cells 4096
  cadence-bench ladder --engine twin --preset cadence    simulate ten hours in seconds`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return runLadder(cmd, where(), f) },
	}
	f.bind(cmd.Flags())
	cmd.AddCommand(newLadderList(), newLadderCheck(), newLadderPlan())
	return cmd
}

// bind makes the flags of a sweep.
func (f *ladderFlags) bind(flags *pflag.FlagSet) {
	f.flags.Bind(flags)
	f.Machine.Bind(flags)
	f.twin.add(flags)
	bindPlanted(flags, &f.Machine.Planted)
	flags.StringVar(&f.Model, "model", "", "GGUF file (default a synthetic model, made when it is not there)")
	flags.StringVar(&f.Dir, "out", "", "folder of the run (default runs/PRESET-TIME)")
	flags.BoolVar(&f.TraceSteps, "trace-steps", false, "keep a row for every engine step, in steps/ beside the cells")
	flags.BoolVar(&f.TraceDecisions, "trace-decisions", false, "keep a row for every decision of admission policies, in decisions/ beside the cells, for fit")
	flags.StringVar(&f.Artifact, "admission-artifact", "", "what admission policies start from, as fit wrote it (default none: they learn on-line)")
	flags.BoolVar(&f.AllowOtherArtifact, "allow-other-artifact", false, "start from an artifact of another backend, model, library or engine all the same")
	flags.StringVar(&f.serve, "serve", "", "show the report so far in a browser, at this port of this machine or HOST:PORT")
	flags.BoolVar(&f.resume, "resume", false, "go on with the run in --out, with its own parameters, model, libraries and calibration")
	flags.BoolVar(&f.AllowMixed, "allow-mixed", false, "with --resume: go on although program, engine, model, machine or tapes have changed, and mark the run and its further cells")
}

// keyVariable is where a key for servers is read. A flag would be kept with the
// command line, and shown to everybody on the machine.
const keyVariable = "CADENCE_API_KEY"

func rungsHelp() string {
	var b strings.Builder
	outline.Rungs(&b, ladder.Rungs())
	return b.String()
}

// runLadder measures what the flags say.
func runLadder(cmd *cobra.Command, where places, f ladderFlags) error {
	if err := f.check(); err != nil {
		return fault.Input.Wrap(err)
	}
	if err := f.resolve(cmd); err != nil {
		return fault.Input.Wrap(err)
	}
	if f.Dir == "" {
		f.Dir = runFolder(f.flags.Preset())
	}
	show := live.NewProgress(cmd.ErrOrStderr())
	if f.Twin {
		show.Simulated()
	}
	if !f.resume {
		if err := results.Vacant(f.Dir); err != nil {
			return err // before a page is served, and the engine measured
		}
	}
	if f.serve != "" {
		stop, err := live.Serve(f.serve, f.Dir, show)
		if err != nil {
			return fault.Input.Wrap(err)
		}
		defer stop()
	}
	if f.resume {
		show.Recall(f.Dir)
	}
	f.Places, f.Progress, f.Now = where, show, time.Now
	f.Command, f.TargetKey = commandLine(cmd), os.Getenv(keyVariable)
	err := f.Measure(cmd.Context())
	show.Close()
	if err == nil || fault.Of(err) == fault.Invalid {
		fmt.Fprintf(cmd.OutOrStdout(), "%s into %s\n", f.twin.did(), f.Dir)
	}
	return interrupted(cmd, f.Dir, err)
}

// runFolder is the folder of a run where none is named.
func runFolder(kind string) string {
	return filepath.Join("runs", kind+"-"+time.Now().UTC().Format("20060102-150405"))
}

// interrupted says of an interrupt how to go on.
func interrupted(cmd *cobra.Command, dir string, err error) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	words := append([]string{os.Args[0]}, strings.Fields(cmd.CommandPath())[1:]...)
	words = append(words, "--out", dir, "--resume")
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		switch {
		case !keptByResume[fl.Name] || fl.Name == "out" || fl.Name == "resume" || fl.Name == "preset":
		case fl.Value.Type() == "bool":
			words = append(words, "--"+fl.Name+"="+fl.Value.String())
		default:
			words = append(words, "--"+fl.Name, fl.Value.String())
		}
	})
	for i, w := range words {
		words[i] = quoted(w)
	}
	line := strings.Join(words, " ")
	return fmt.Errorf("interrupted; what was measured is kept, and this goes on with the rest: %s%w", line, hidden{err})
}

// quoted is a word for a shell.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./,:=+@%", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// hidden keeps an error in the chain without showing it.
type hidden struct{ error }

func (hidden) Error() string   { return "" }
func (h hidden) Unwrap() error { return h.error }

// check says which flags do not go together.
func (f *ladderFlags) check() error {
	switch {
	case f.resume && f.Dir == "":
		return errors.New("--resume: name the run to go on with by --out")
	case f.Machine.Planted > 0 && f.resume:
		return errors.New("--" + plantedFlagName + ": a run that is gone on with cannot be slowed")
	case f.Machine.Planted > 0 && f.twin.simulated():
		return errors.New("--" + plantedFlagName + ": it slows the real engine; drop --engine twin")
	case f.AllowOtherArtifact && f.Artifact == "":
		return errors.New("--allow-other-artifact: name the artifact by --admission-artifact")
	case f.AllowMixed && !f.resume:
		return errors.New("--allow-mixed: only --resume can mix; drop the flag")
	}
	return nil
}

// resolve fills in what is measured, and on what: a preset changed by flags or, with
// --resume, the run's own.
func (f *ladderFlags) resolve(cmd *cobra.Command) (err error) {
	if f.resume {
		return f.resolveResume(cmd)
	}
	if f.Config, err = f.flags.Resolve(f.adjust); err != nil {
		return err
	}
	if f.Knobs != nil {
		if f.Config.Rates == nil && !cmd.Flags().Changed("rates") {
			f.Config.NumRates = knobRates
		}
		if err := f.Knobs.Apply(&f.Config, nil, nil); err != nil {
			return err
		}
	}
	if err := f.twin.check(f.Config.Canonical); err != nil {
		return err
	}
	f.Machine.Canonical, f.Machine.Noise = f.Config.Canonical, f.twin.noise
	f.Twin, f.Calibration = f.twin.simulated(), f.twin.calibration
	return f.Config.Check()
}

// keptByResume are the flags that may accompany --resume: they say where things
// are, not what is measured.
var keptByResume = map[string]bool{"out": true, "resume": true, "model": true, "cache": true, "lib": true, "preset": true, "trace-steps": true, "trace-decisions": true, "serve": true, "calibration": true, "allow-mixed": true}

func (f *ladderFlags) resolveResume(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(fl *pflag.Flag) {
		if fl.Changed && !keptByResume[fl.Name] && err == nil {
			err = fmt.Errorf("--%s: a resumed run keeps the parameters it was started with; drop the flag, or start another run with --out", fl.Name)
		}
	})
	if err != nil {
		return err
	}
	if f.Resume, err = results.OpenRun(f.Dir); err != nil {
		return err
	}
	manifest := &f.Resume.Manifest
	f.twin.engine = manifest.Backend
	f.Twin, f.Calibration = f.twin.simulated(), f.twin.calibration
	if f.Config, err = ladder.ConfigOf(manifest.Params); err != nil {
		return fmt.Errorf("%s: %w", f.Resume.ManifestPath(), err)
	}
	if f.Config.NeedsEngine() {
		f.Machine, err = machine.ConfigOf(manifest.Params)
		f.Machine.Canonical = f.Config.Canonical
	}
	return err
}
