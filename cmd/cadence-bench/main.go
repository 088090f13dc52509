// Command cadence-bench measures what each LLM serving mechanism buys: it offers
// open-loop load to a ladder of configurations of one embedded llama.cpp engine
// and regenerates every table and chart from what it measured.
package main

import (
	"context"
	"os"
)

func main() {
	ctx, stop := interruptible(context.Background())
	defer stop()
	os.Exit(exitCode(os.Stderr, run(ctx, os.Stdout, os.Stderr, os.Args[1:])))
}
