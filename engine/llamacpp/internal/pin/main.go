// Command pin writes the table of library hashes for the platforms given as
// arguments. It fetches each one's package.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/internal/npm"
)

func main() {
	out := flag.String("o", "pins.txt", "file to write")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(out string, platforms []string) error {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, p := range platforms {
		if err := platform(w, p); err != nil {
			return err
		}
	}
	return w.Flush()
}

func platform(w io.Writer, p string) error {
	dir, err := os.MkdirTemp("", "pin-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	keep := func(name string) bool {
		return strings.HasSuffix(name, ".so") && !strings.Contains(name, "llama-common")
	}
	if err := npm.Fetch(context.Background(), p, dir, keep); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%x  %s/%s\n", sha256.Sum256(data), p, filepath.Base(file))
	}
	return nil
}
