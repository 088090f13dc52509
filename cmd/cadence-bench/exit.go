package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/internal/fault"
)

// The exit codes. README.md and the help of the root command list them.
const (
	exitOK          = 0
	exitFailure     = 1   // anything without a code of its own
	exitInput       = 2   // the command line, or a file that it names, makes no sense
	exitEngine      = 3   // the engine's library, the model or a target cannot be used
	exitCells       = 4   // some cells could not be measured
	exitWrite       = 5   // a result could not be written
	exitDrift       = 6   // report --check found a document that differs from the data
	exitInvalid     = 7   // every cell was measured, and some are invalid
	exitInterrupted = 130 // stopped by an interrupt; finished cells are kept
)

const exitCodesHelp = `Exit codes: 0 done, 1 failed, 2 bad input, 3 engine, model or target not usable,
4 some cells could not be measured, 5 results could not be written, 6 report --check
found a difference, 7 some cells are invalid (the report says why), 130 interrupted
(finished cells are kept). gate has its own 1 and 2: gate --help.`

// exitCodes is the exit code of each kind of error. The last two are those of gate.
var exitCodes = map[fault.Kind]int{
	fault.Other:   exitFailure,
	fault.Input:   exitInput,
	fault.Engine:  exitEngine,
	fault.Cells:   exitCells,
	fault.Write:   exitWrite,
	fault.Drift:   exitDrift,
	fault.Invalid: exitInvalid,

	fault.Regression:   gate.ExitRegression,
	fault.Unmeasurable: gate.ExitNotMeasurable,
}

// exitCode prints an error as one line and returns the exit code it stands for. Where the
// output was closed, as by head, there is nobody to tell.
func exitCode(w io.Writer, err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, syscall.EPIPE):
		return exitInterrupted // whoever read it has gone, and knows
	}
	fmt.Fprintf(w, "cadence-bench: %v\n", err)
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, syscall.ENOSPC):
		return exitWrite
	}
	return exitCodes[fault.Of(err)]
}
