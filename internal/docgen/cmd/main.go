// Command cmd fills the generated blocks of this repository's documents: `make docs`. With
// -check it changes nothing and fails when one is not current: `make check`.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/cadence-bench/cadence-bench/internal/docgen"
)

func main() {
	check := flag.Bool("check", false, "change nothing; fail when a document is not current")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(check bool) error {
	if check {
		return docgen.Check()
	}
	changed, err := docgen.Write()
	for _, file := range changed {
		fmt.Println("updated", file)
	}
	return err
}
