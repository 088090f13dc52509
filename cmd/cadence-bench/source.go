package main

import (
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/streams"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/kv"
	"github.com/cadence-bench/cadence-bench/results"
)

// engineSource identifies the engine that this program was compiled from: two
// runs with the same hash were scheduled and stepped by the same code.
func engineSource() (string, error) {
	return results.SourceHash(map[string]fs.FS{
		"engine": engine.Source, "engine/clock": clock.Source, "engine/llamacpp": llamacpp.Source,
		"engine/streams": streams.Source, "engine/twin": twin.Source, "kv": kv.Source,
	})
}

// commandLine is what the manifest says that the user typed, without the
// program's own path.
func commandLine(cmd *cobra.Command) []string {
	return append([]string{cmd.Root().Name()}, os.Args[1:]...)
}
