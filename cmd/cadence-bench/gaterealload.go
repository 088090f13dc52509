package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// realLoad is the work of a segment. Nothing of it is left to a measurement: what one
// side chose otherwise than the other would be no equal work.
type realLoad struct {
	rung, ladder, model, workload string
	requests, maxBatch, threads   int
	kv, flash                     string
}

// The work of a segment is a burst, so that from the first request to the last the
// engine has its batch full and the time is the engine's alone: all requests come within
// the first 20 ms of a second. Short segments and many of them tell more than long ones:
// on the machine the gate was made on, two runs of one segment in a row differ by as much
// whether they last 1.3 s or 1.7 s, since what differs is the machine's pace.
//
// One thread, because two wait for each other at every operation, so that a stall of
// either is one of both: there two segments in a row differ by 5 to 10% with one thread,
// and by 22 to 25% with two.
const (
	burst           = "spike:at=0s,for=20ms,to=1000"
	defaultRequests = 10
	// These two tapes have 9 requests each, which take 0.9 s there.
	defaultTapes = "1,3"
	segmentLoad  = "prefix-repetition:prefixes=3,prefix=96,suffix=32,output=32,share=0.8"
)

func (l *realLoad) bind(flags *pflag.FlagSet) {
	flags.StringVar(&l.rung, "rung", "prefix", "with --real: the rung that both sides run")
	flags.StringVar(&l.model, "model", "", "with --real: GGUF file (default the synthetic model)")
	flags.IntVar(&l.requests, "requests", defaultRequests, "with --real: requests of a segment, in the mean over tapes")
	flags.IntVar(&l.maxBatch, "max-batch", 8, "with --real: sequences at once")
	flags.IntVar(&l.threads, "threads", 1, "with --real: engine threads; more than one makes the time of a step scatter more")
	flags.StringVar(&l.kv, "kv-layout", "unified", "with --real: unified or streams")
	flags.StringVar(&l.flash, "flash-attn", "on", "with --real: on or off")
}

func (l *realLoad) check() error {
	if l.requests < 1 || l.maxBatch < 1 || l.threads < 1 {
		return fmt.Errorf("--requests, --max-batch and --threads: give 1 or more")
	}
	if _, err := parseLayout(l.kv); err != nil {
		return err
	}
	if flash, err := llamacpp.ParseFlashAttn(l.flash); err != nil || flash == llamacpp.FlashAuto {
		return fmt.Errorf("--flash-attn: %q: give on or off", l.flash)
	}
	return nil
}

// command is the command line of a segment, without its tape, its folder and what makes
// an arm. It has no flag that is younger than the commits one would compare.
func (l *realLoad) command() []string {
	args := []string{
		"ladder", "--rungs", l.rung, "--rates", strconv.Itoa(l.requests), "--duration", "1s", "--warmup", "0s", "--timeout", "2m", "--slo", "2s",
		"--workload", l.workload, "--arrivals", burst, "--max-batch", strconv.Itoa(l.maxBatch),
		"--threads", strconv.Itoa(l.threads), "--kv-layout", l.kv, "--flash-attn", l.flash,
		"--kv-retain", "4096", "--share-wait", spec.DefaultShareWait.String(),
	}
	if l.ladder != "" {
		args = append(args, "--ladder", l.ladder)
	}
	if l.model != "" {
		args = append(args, "--model", l.model)
	}
	return args
}

// shared takes what the flags of both gates say.
func (l *realLoad) shared(flags *pflag.FlagSet, f gateFlags) {
	if flags.Changed("ladder") {
		l.ladder = f.ladder
	}
	if l.workload = f.workload; l.workload == "" {
		l.workload = segmentLoad
	}
}

// tapes are the seeds of the requests.
func (l *realLoad) tapes(seeds string) ([]uint64, error) {
	if seeds == "" {
		seeds = defaultTapes
	}
	tapes, err := ladder.ParseSeeds(seeds)
	if err != nil {
		return nil, fmt.Errorf("--seeds: %w", err)
	}
	return tapes, nil
}
