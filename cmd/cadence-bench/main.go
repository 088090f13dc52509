// Command cadence-bench measures what each LLM serving mechanism buys: it offers
// open-loop load to a ladder of configurations of one embedded llama.cpp engine
// and regenerates every table and chart from what it measured.
package main

import (
	"context"
	"os"
)

func main() {
	ctx, end := interruptible(context.Background())
	impatient(ctx, patience, func() { os.Exit(exitInterrupted) })
	catchBrokenPipes()
	stdout, stderr := &outlet{os.Stdout, end}, &outlet{os.Stderr, end}
	os.Exit(exitCode(stderr, run(ctx, stdout, stderr, os.Args[1:])))
}
