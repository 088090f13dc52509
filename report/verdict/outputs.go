package verdict

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/internal/nearest"
	"github.com/cadence-bench/cadence-bench/results"
)

// Document is what a gate found, in several formats.
type Document interface {
	Format(name string) ([]byte, error)
	// Err is what the program ends with once the document is written; nil for a pass.
	Err() error
}

// Outputs say in which format a document is printed, and into which files it goes
// besides; "" is none.
type Outputs struct {
	Format                string
	JSON, JUnit, Markdown string
}

// Bind makes the flags.
func (o *Outputs) Bind(flags *pflag.FlagSet) {
	flags.StringVar(&o.Format, "format", "text", "what to print: text, markdown, json or junit")
	flags.StringVar(&o.JSON, "json", "", "write JSON to this file too")
	flags.StringVar(&o.JUnit, "junit", "", "write JUnit XML to this file too")
	flags.StringVar(&o.Markdown, "markdown", "", "append Markdown to this file too, such as a step summary")
}

// Check says whether a gate, or its proof, has the formats.
func (o *Outputs) Check(proof bool) error {
	switch known := Formats(); {
	case !slices.Contains(known, o.Format):
		return fmt.Errorf("--format: unknown format %q; %s", o.Format, nearest.Hint(o.Format, known))
	case proof && (o.Format == "junit" || o.JUnit != ""):
		return errors.New("--prove: it is given as text, markdown and json")
	}
	return nil
}

// Write prints a document and writes its files.
func (o *Outputs) Write(out io.Writer, d Document) error {
	write := func(format string, to func([]byte) error) error {
		data, err := d.Format(format)
		if err != nil {
			return err
		}
		return fault.Write.Wrap(to(data))
	}
	if err := write(o.Format, func(data []byte) error { _, err := out.Write(data); return err }); err != nil {
		return err
	}
	if o.JSON != "" {
		if err := write("json", func(data []byte) error { return results.WriteBytes(o.JSON, data) }); err != nil {
			return err
		}
	}
	if o.JUnit != "" {
		if err := write("junit", func(data []byte) error { return results.WriteBytes(o.JUnit, data) }); err != nil {
			return err
		}
	}
	if o.Markdown == "" {
		return nil
	}
	return write("markdown", func(data []byte) error { return appendTo(o.Markdown, data) })
}

// appendTo adds to a file, as a step summary wants it.
func appendTo(name string, data []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}
