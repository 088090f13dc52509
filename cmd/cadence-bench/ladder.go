package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/artifact"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/live"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// ladderFlags are the flags of `ladder` as they were written.
type ladderFlags struct {
	preset, rates, slo, seeds, stop string
	config                          ladder.Config
	layout                          layoutFlags
	model, out                      string
	threads, threadsBatch           int
	ladder, serve                   string
	resume, traceSteps, allowMixed  bool
	twin                            twinFlags
	target                          targetFlags
	study                           *knobFlags // nil measures the ladder
	artifact                        string     // what admission policies start from; "": nothing
	allowOtherArtifact              bool
	traceDecisions                  bool
	planted                         plantedFlag

	// Of traces, which is a ladder of its own:
	name       string // of the command; "" is ladder
	own        *spec.Ladder
	ownSeeds   []uint64
	ownTimeout time.Duration

	choices []results.Choice // of the run that is resumed
}

func newLadder(where func() places) *cobra.Command {
	var f ladderFlags
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
	flags.StringVar(&f.preset, "preset", "quick", "smoke (two minutes), quick (a quarter of an hour), full (five hours) or cadence (the predecessor's grid of fixed rates: ten hours)")
	flags.StringSliceVar(&f.config.Rungs, "rungs", nil, "rungs to measure, comma-separated (default fifo,static,continuous,prefix; paged is optional; none measures only targets)")
	flags.StringVar(&f.ladder, "ladder", "", "the rungs there are: a built-in ladder's name or a YAML file (default cadence)")
	flags.StringVar(&f.rates, "rates", "auto", "offered rates in requests per second, comma-separated, ascending, or auto (default the preset's)")
	flags.StringVar(&f.seeds, "seeds", "", "seeds of the tapes, comma-separated (default the preset's)")
	flags.DurationVar(&f.config.Duration, "duration", 0, "how long each cell offers arrivals (default the preset's)")
	flags.DurationVar(&f.config.Warmup, "warmup", 0, "arrivals before this are left out of the steady window (default the preset's)")
	flags.DurationVar(&f.config.Timeout, "timeout", 0, "a client gives up this long after its arrival (default the preset's)")
	flags.StringVar(&f.slo, "slo", "auto", "end-to-end latency objective, such as 2s")
	flags.StringVar(&f.config.Workload, "workload", loadgen.SharedPrompt, "what requests say, such as shared-prompt, uniform, sessions or trace:FILE; tape make --help lists all")
	flags.StringVar(&f.config.Arrivals, "arrivals", "", "when they come: poisson, gamma:burstiness=0.5, ... (default a trace's own times, else poisson)")
	flags.StringVar(&f.stop, "stop", string(cell.StopScripted), "where answers end: scripted (drawn with the tape), model (its own end token) or never (the client's limit)")
	flags.Float64Var(&f.config.Temperature, "temperature", 0, "0 decodes greedily; above it, each request samples with its own seed")
	flags.IntVar(&f.config.Context, "context", 0, "tokens that one sequence may hold (default what the longest request needs)")
	flags.StringVar(&f.model, "model", "", "GGUF file (default a synthetic model, made when it is not there)")
	flags.IntVar(&f.threads, "threads", 0, "engine threads (default chosen by a short measurement)")
	flags.IntVar(&f.threadsBatch, "threads-batch", 0, "engine threads for passes of more than one token (default as --threads)")
	f.layout.bind(flags)
	f.config.Overrides.Bind(flags)
	flags.IntVar(&f.config.Replicates, "replicates", 1, "how often every cell is measured; replicates come in later blocks and replay the same tapes")
	flags.StringVar(&f.config.Anchor, "anchor", "", "rung to measure again after all others, at every rate and seed: what comparing across the sweep costs")
	flags.StringVar(&f.out, "out", "", "folder of the run (default runs/PRESET-TIME)")
	f.target.bind(flags)
	flags.BoolVar(&f.traceSteps, "trace-steps", false, "keep a row for every engine step, in steps/ beside the cells")
	flags.BoolVar(&f.traceDecisions, "trace-decisions", false, "keep a row for every decision of admission policies, in decisions/ beside the cells, for fit")
	flags.StringVar(&f.artifact, "admission-artifact", "", "what admission policies start from, as fit wrote it (default none: they learn on-line)")
	flags.BoolVar(&f.allowOtherArtifact, "allow-other-artifact", false, "start from an artifact of another backend, model, library or engine all the same")
	f.twin.add(flags)
	f.planted.bind(flags)
	flags.StringVar(&f.serve, "serve", "", "show the report so far in a browser, at this port of this machine or HOST:PORT")
	flags.BoolVar(&f.resume, "resume", false, "go on with the run in --out, with its own parameters")
	flags.BoolVar(&f.allowMixed, "allow-mixed", false, "with --resume: go on although program, engine, model, machine or tapes have changed, and mark the run and its further cells")
}

func rungsHelp() string {
	var b strings.Builder
	writeRungs(&b, ladder.Rungs())
	return b.String()
}

func noArgs(cmd *cobra.Command, args []string) error {
	return fault.Input.Wrap(cobra.NoArgs(cmd, args))
}

func runLadder(cmd *cobra.Command, where places, f ladderFlags) error {
	started := time.Now()
	if f.resume && f.out == "" {
		return fault.Input.Errorf("--resume: name the run to go on with by --out")
	}
	if err := f.planted.check(f); err != nil {
		return fault.Input.Wrap(err)
	}
	if f.allowOtherArtifact && f.artifact == "" {
		return fault.Input.Errorf("--allow-other-artifact: name the artifact by --admission-artifact")
	}
	if f.allowMixed && !f.resume {
		return fault.Input.Errorf("--allow-mixed: only --resume can mix; drop the flag")
	}
	cfg, params, err := f.resolve(cmd)
	if err != nil {
		return fault.Input.Wrap(err)
	}
	if f.out == "" {
		f.out = filepath.Join("runs", f.preset+"-"+started.UTC().Format("20060102-150405"))
	}
	show := live.NewProgress(cmd.ErrOrStderr())
	if f.twin.simulated() {
		show.Simulated()
	}
	if !f.resume {
		if err := results.Vacant(f.out); err != nil {
			return f.finish(cmd.OutOrStdout(), err) // before seconds are spent on measuring the engine
		}
	}
	if f.serve != "" {
		stop, err := live.Serve(f.serve, f.out, show)
		if err != nil {
			return fault.Input.Wrap(err)
		}
		defer stop()
	}
	var m cell.Machine
	var choices []results.Choice
	if needsEngine(params) {
		if m, choices, err = f.machine(where, params, show.Note); err != nil {
			return err
		}
	}
	if f.study != nil && !f.resume {
		if err := f.study.study(&cfg, m, cmd.Flags().Changed("rates"), show.Note); err != nil {
			return fault.Input.Wrap(err)
		}
	}
	var retain ladder.RetainRule
	if llama, ok := m.(*machine.Llama); ok && !f.resume && cfg.KVRetain == 0 {
		rungs, err := cfg.Embedded()
		if err != nil {
			return fault.Input.Wrap(err)
		}
		if retain, err = llama.RetainRule(rungs, show.Note); err != nil {
			return err
		}
	}
	source, err := machine.EngineSource()
	if err != nil {
		return err
	}
	var start artifact.Start
	if f.resume {
		start, err = artifact.Resumed(f.out, f.choices)
	} else if f.artifact != "" {
		if start, err = artifact.Open(f.artifact, f.allowOtherArtifact, artifact.FactsOf(m, source), show.Note); err == nil {
			choices = append(choices, start.Choice)
			err = start.Keep(f.out)
		}
	}
	if err != nil {
		return err
	}
	sweep := ladder.Sweep{
		Machine: m, Dir: f.out, Progress: show, Now: time.Now, TraceSteps: f.traceSteps, TraceDecisions: f.traceDecisions, Fitted: start.Fitted, Retain: retain, Workers: runtime.GOMAXPROCS(0), AllowMixed: f.allowMixed,
		TargetKey: os.Getenv(keyVariable), CPU: results.CPUTime,
		Provenance: results.Manifest{
			Command: commandLine(cmd), Build: results.BuildInfo(), EngineSource: source, Host: results.ReadHost(), Choices: choices,
		},
	}
	if f.resume {
		show.Recall(f.out)
		err = sweep.Resume(cmd.Context())
	} else {
		err = sweep.Start(cmd.Context(), cfg)
	}
	show.Close()
	return f.finish(cmd.OutOrStdout(), err)
}

// summarise writes summary.json of what the run has, if it has anything.
func summarise(dir string) error {
	run, err := analysis.Load(dir, analysis.Options{})
	if err != nil {
		return err
	}
	if err := results.WriteSummary(run.SummaryPath(), analysis.Summaries(run.Sweep)); err != nil {
		return fault.Write.Wrap(err)
	}
	invalid := 0
	cells := run.All()
	for i := range cells {
		if !cells[i].Valid() {
			invalid++
		}
	}
	if invalid > 0 {
		return fault.Invalid.Errorf("%d of %d cells are invalid: the report says why", invalid, len(cells))
	}
	return nil
}

// finish says where the results are, or how to go on.
func (f *ladderFlags) finish(out io.Writer, err error) error {
	command := "ladder"
	if f.name != "" {
		command = f.name
	}
	again := fmt.Sprintf("cadence-bench %s --out %s --resume", command, f.out)
	switch {
	case err == nil:
		fmt.Fprintf(out, "%s into %s\n", f.twin.did(), f.out)
		return summarise(f.out)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted; what was measured is kept, and this goes on with the rest: %s%w", again, hidden{err})
	case errors.Is(err, ladder.ErrTarget):
		return fault.Engine.Wrap(err)
	case errors.Is(err, ladder.ErrCells):
		return fault.Cells.Wrap(err)
	case errors.Is(err, results.ErrRunExists), errors.Is(err, results.ErrRunLocked), errors.As(err, new(ladder.InputError)):
		return fault.Input.Wrap(err)
	case errors.As(err, new(*fs.PathError)):
		return fault.Write.Wrap(err)
	}
	return err
}

// hidden keeps an error in the chain without showing it.
type hidden struct{ error }

func (hidden) Error() string   { return "" }
func (h hidden) Unwrap() error { return h.error }

// resolve returns the configuration and the engine parameters that are asked
// for: a preset changed by flags or, with --resume, the run's own.
func (f *ladderFlags) resolve(cmd *cobra.Command) (ladder.Config, map[string]string, error) {
	if f.resume {
		return f.resolveResume(cmd)
	}
	cfg, err := ladder.Preset(f.preset)
	if err != nil {
		return cfg, nil, err
	}
	if f.ladder != "" {
		if cfg.Ladder, err = spec.Open(f.ladder); err != nil {
			return cfg, nil, err
		}
	}
	if f.own != nil {
		cfg.Ladder, cfg.Seeds = f.own, f.ownSeeds
	}
	if f.ownTimeout > 0 {
		cfg.Timeout = f.ownTimeout
	}
	set := func(name string) bool { return cmd.Flags().Changed(name) }
	cfg.Rungs, cfg.Workload, cfg.Arrivals, cfg.Stop = f.config.Rungs, f.config.Workload, f.config.Arrivals, cell.StopMode(f.stop)
	cfg.Temperature, cfg.Context, cfg.Overrides, cfg.Repeats = f.config.Temperature, f.config.Context, f.config.Overrides, f.config.Repeats
	if cfg.Replicates < 1 {
		return cfg, nil, fmt.Errorf("--replicates: %d is out of range; give 1 or more", cfg.Replicates)
	}
	if set("duration") {
		cfg.Duration = f.config.Duration
	}
	if set("warmup") {
		cfg.Warmup = f.config.Warmup
	} else if set("duration") {
		cfg.Warmup = min(cfg.Warmup, cfg.Duration/8)
	}
	if set("timeout") {
		cfg.Timeout = f.config.Timeout
	}
	if set("rates") {
		if cfg.Rates, err = ladder.ParseRates(f.rates); err != nil {
			return cfg, nil, fmt.Errorf("--rates: %w", err)
		}
	}
	if set("seeds") {
		if cfg.Seeds, err = ladder.ParseSeeds(f.seeds); err != nil {
			return cfg, nil, fmt.Errorf("--seeds: %w", err)
		}
	}
	if f.slo == "auto" && set("slo") {
		cfg.SLO = 0
	}
	if f.slo != "auto" {
		if cfg.SLO, err = time.ParseDuration(f.slo); err != nil || cfg.SLO <= 0 {
			return cfg, nil, fmt.Errorf("--slo: %q is not a duration above 0, such as 2s, nor auto", f.slo)
		}
	}
	if f.study != nil {
		if err := f.study.study(&cfg, nil, set("rates"), nil); err != nil {
			return cfg, nil, err
		}
	}
	if cfg.Externals, err = f.target.resolve(); err != nil {
		return cfg, nil, err
	}
	if err := f.twin.check(cfg.Canonical); err != nil {
		return cfg, nil, err
	}
	params := map[string]string{"rungs": strings.Join(cfg.Rungs, ","), "token_ids": strconv.FormatBool(cfg.TokenIDs), "canonical": strconv.FormatBool(cfg.Canonical), "flash_attn": f.layout.flash, "kv_layout": f.layout.kv, "threads": fmt.Sprint(f.threads), "threads_batch": fmt.Sprint(f.threadsBatch)}
	if f.twin.simulated() {
		params["twin_noise"] = strconv.FormatBool(f.twin.noise)
	}
	return cfg, params, cfg.Check()
}

// keptByResume are the flags that may accompany --resume: they say where things
// are, not what is measured.
var keptByResume = map[string]bool{"out": true, "resume": true, "model": true, "cache": true, "lib": true, "preset": true, "trace-steps": true, "trace-decisions": true, "serve": true, "calibration": true, "allow-mixed": true}

func (f *ladderFlags) resolveResume(cmd *cobra.Command) (ladder.Config, map[string]string, error) {
	var err error
	cmd.Flags().VisitAll(func(fl *pflag.Flag) {
		if fl.Changed && !keptByResume[fl.Name] && err == nil {
			err = fmt.Errorf("--%s: a resumed run keeps the parameters it was started with; drop the flag, or start another run with --out", fl.Name)
		}
	})
	if err != nil {
		return ladder.Config{}, nil, err
	}
	run, err := results.OpenRun(f.out)
	if err != nil {
		return ladder.Config{}, nil, err
	}
	f.twin.engine, f.choices = run.Manifest.Backend, run.Manifest.Choices
	return ladder.Config{}, run.Manifest.Params, nil
}

// machine opens the engine with these parameters, or its twin.
func (f *ladderFlags) machine(where places, params map[string]string, note func(string)) (cell.Machine, []results.Choice, error) {
	if f.twin.simulated() {
		return machine.OpenTwin(where, f.twin.calibration, f.model, params, note)
	}
	return machine.Choose(where, f.model, params, f.planted.share, note)
}
