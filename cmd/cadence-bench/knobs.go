package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/session"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// defaultKnobBase is the highest rung of the default ladder without admission control.
const defaultKnobBase = "prefix"

// knobRates is how many rates are chosen when none are given: calm, about the knee, and
// overloaded.
const knobRates = 3

// minKnobReplicates is the fewest from which a spread can be told.
const minKnobReplicates = 2

// notOfKnobs are flags of `ladder` that mean nothing here.
var notOfKnobs = []string{"rungs", "anchor", "canonical", "target", "api", "target-model", "target-length", "target-shared-cache", "token-ids"}

func newKnobs(where func() places) *cobra.Command {
	k := session.Knobs{}
	f := ladderFlags{Options: session.Options{Knobs: &k}}
	cmd := &cobra.Command{
		Use:   "knobs",
		Short: "Change one setting of a rung at a time, against the noise of measuring it unchanged",
		Long: `Measure a rung as it is, several times, and once with each setting of each knob changed
alone, all on the same tapes, the unchanged measurements spread among the changed ones.
A change counts as better or worse only when it exceeds the noise: how far the unchanged
measurements lie apart (docs/method.md, Knobs). The run is a folder like a ladder's:
it is resumed in the same way, and report makes the tables again.

The other flags are those of ladder, and set what stays the same.

The knobs, each with the values that are tried unless --values gives others:
` + knobsHelp(),
		Example: `  cadence-bench knobs --preset smoke --engine twin
  cadence-bench knobs --knob max-batch --knob block-size --rates 4 --slo 2s
  cadence-bench knobs --knob threads --values 1,2 --replicates 5 --out runs/threads
  cadence-bench knobs --out runs/threads --resume`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runKnobs(cmd, where(), f) },
	}
	flags := cmd.Flags()
	f.bind(flags)
	for _, name := range notOfKnobs {
		if fl := flags.Lookup(name); fl != nil {
			fl.Hidden = true
		}
	}
	replicates := flags.Lookup("replicates")
	replicates.Usage, replicates.DefValue = "how often the unchanged rung is measured on each tape, at least 2: its noise", "3"
	f.flags.Replicates = 3
	flags.StringVar(&k.Base, "base", defaultKnobBase, "rung of the ladder whose settings are changed")
	flags.StringArrayVar(&k.Knobs, "knob", nil, "knob to turn; may be repeated (default all)")
	flags.StringSliceVar(&k.Values, "values", nil, "values of the one --knob, comma-separated (default those listed above, but for the rung's own)")
	return cmd
}

func knobsHelp() string {
	var b strings.Builder
	for _, k := range spec.Knobs(runtime.NumCPU()) {
		fmt.Fprintf(&b, "  %-15s %s: %s\n", k.Name, k.Adds, strings.Join(k.Values, ", "))
	}
	return b.String()
}

func runKnobs(cmd *cobra.Command, where places, f ladderFlags) error {
	for _, name := range notOfKnobs {
		if cmd.Flags().Changed(name) {
			return fault.Input.Errorf("--%s: only ladder has it", name)
		}
	}
	if f.resume {
		for _, name := range []string{"base", "knob", "values"} {
			if cmd.Flags().Changed(name) {
				return fault.Input.Errorf("--%s: a resumed run keeps the parameters it was started with; drop the flag, or start another run with --out", name)
			}
		}
	} else if f.flags.Replicates < minKnobReplicates {
		return fault.Input.Errorf("--replicates: %d tells no noise; give %d or more", f.flags.Replicates, minKnobReplicates)
	}
	if f.Dir == "" && !f.resume {
		f.Dir = runFolder("knobs")
	}
	err := runLadder(cmd, where, f)
	if err != nil && fault.Of(err) != fault.Invalid {
		return err
	}
	tables, failed := session.StudyTables(f.Dir)
	return errors.Join(failed, printTables(cmd.OutOrStdout(), tables), err)
}
