// Package versus compares the prebuilt libraries with those built for this machine: the
// same models with each in turn, several times, in a process of its own each time.
package versus

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
)

// Model is a model to compare on.
type Model struct{ Name, File string }

// Row is what one model gave in one respect, in tokens per second by round.
type Row struct {
	Model, What      string
	Prebuilt, Native []float64
}

// Measure gives the rates of a model with the prebuilt or the native libraries.
type Measure func(native bool, file string) (llamacpp.Rates, error)

// Run measures every model in so many rounds. Each round has both libraries, and the next
// one has them in the other order.
func Run(models []Model, rounds int, measure Measure) ([]Row, error) {
	var rows []Row
	for _, m := range models {
		of := []Row{{Model: m.Name, What: "prefill, alone"}, {Model: m.Name, What: "decode, alone"},
			{Model: m.Name, What: "prefill, beside 23"}, {Model: m.Name, What: "decode, all 24"}}
		for turn := range 2 * rounds {
			native := turn%4 == 1 || turn%4 == 2
			r, err := measure(native, m.File)
			if err != nil {
				return nil, err
			}
			for i, rate := range []float64{r.Prefill, r.Decode, r.FullPrefill, r.FullDecode} {
				into := &of[i].Prebuilt
				if native {
					into = &of[i].Native
				}
				*into = append(*into, rate)
			}
		}
		rows = append(rows, of...)
	}
	return rows, nil
}

// Verdict says which is faster, in medians, where the ranges do not overlap.
func (r Row) Verdict() string {
	if slices.Min(r.Native) <= slices.Max(r.Prebuilt) && slices.Min(r.Prebuilt) <= slices.Max(r.Native) {
		return "not told apart"
	}
	if by := median(r.Native) / median(r.Prebuilt); by > 1 {
		return fmt.Sprintf("native is %.2f times as fast", by)
	}
	return fmt.Sprintf("prebuilt is %.2f times as fast", median(r.Prebuilt)/median(r.Native))
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Text writes the rows as a table.
func Text(out io.Writer, rows []Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "model\ttokens/s, median [range]\tprebuilt\tnative\tverdict")
	show := func(x []float64) string {
		return fmt.Sprintf("%.0f [%.0f, %.0f]", median(x), slices.Min(x), slices.Max(x))
	}
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Model, r.What, show(r.Prebuilt), show(r.Native), r.Verdict())
	}
	return w.Flush()
}
