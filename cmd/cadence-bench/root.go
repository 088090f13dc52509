package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// run executes one command line.
func run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(ctx)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "cadence-bench",
		Short: "Measure what each LLM serving mechanism buys",
		Long: `cadence-bench offers open-loop load, Poisson unless told otherwise, to a ladder of
configurations of one embedded llama.cpp engine, from one request at a time to continuous
batching with a prefix cache, or to servers over HTTP, and regenerates every table and chart from what it measured.

` + exitCodesHelp,
		Example: `  cadence-bench engine install               fetch the llama.cpp libraries
  cadence-bench ladder --preset quick        measure the ladder (a quarter of an hour)
  cadence-bench report                       tables, charts and a page of the latest run
  cadence-bench compare runs/a runs/b        what differs between two runs, with intervals`,
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fault.Input.Wrap(err) })
	cache := root.PersistentFlags().String("cache", defaultCache(), "folder for the engine's libraries and the default model (env CADENCE_CACHE)")
	lib := root.PersistentFlags().String("lib", "", "folder with your own build of the llama.cpp libraries, or native for that of engine build (env CADENCE_LIB)")
	places := func() places { return places{Cache: *cache, Lib: *lib} }
	root.AddCommand(newLadder(places), newKnobs(places), newTraces(places), newFit(), newReport(), newCompare(), newEngine(places), newModel(places), newProfile(places), newCalibrate(places), newTwin(places), newTape(), newLoadgen(), newAdmission(places), newGate(places))
	return root
}

// group returns a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, c := range commands {
		cmd.Example += c.Example + "\n"
	}
	cmd.AddCommand(commands...)
	return cmd
}

func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see --help"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q?", near[0])
	}
	return fault.Input.Errorf("unknown command %q: %s", args[0], hint)
}

// arguments marks what is wrong with a command's arguments as bad input.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return fault.Input.Wrap(check(cmd, args)) }
}

var noArgs = arguments(cobra.NoArgs)

// printTables prints tables, each followed by an empty line.
func printTables(out io.Writer, tables []table.Table) error {
	for _, t := range tables {
		if err := t.Text(out); err != nil {
			return fault.Write.Wrap(err)
		}
		fmt.Fprintln(out)
	}
	return nil
}

// places are where the things that the tool fetches and makes are.
type places = machine.Places

// defaultCache is the folder that CADENCE_CACHE names, else the one that make
// fills in a checkout, if this is one, else the user's.
func defaultCache() string {
	if dir := os.Getenv("CADENCE_CACHE"); dir != "" {
		return dir
	}
	checkout := filepath.Join(".cache", "cadence-bench")
	if _, err := os.Stat(checkout); err == nil {
		return checkout
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return checkout
	}
	return filepath.Join(dir, "cadence-bench")
}

// commandLine is what the manifest says that the user typed, without the
// program's own path.
func commandLine(cmd *cobra.Command) []string {
	return append([]string{cmd.Root().Name()}, os.Args[1:]...)
}
