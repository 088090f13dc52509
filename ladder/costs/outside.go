package costs

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/report/table"
)

// HeldOut is one latency under a load that a fit has not seen.
type HeldOut struct {
	Name                string
	Measured, Simulated float64 // seconds
}

// Error is simulated over measured, less one.
func (h HeldOut) Error() float64 { return h.Simulated/h.Measured - 1 }

// HeldOutTable says how far the twin is from a server under a load that was no part of its fit.
func HeldOutTable(held []HeldOut) table.Table {
	seconds := func(of func(HeldOut) float64) func(HeldOut) string {
		return func(h HeldOut) string { return fmt.Sprintf("%.3g", of(h)) }
	}
	t := table.New("The twin under a load that its fit has not seen", "requests of one kind, as Poisson arrivals, at half of what a full batch would serve", held,
		table.Show("latency", func(h HeldOut) string { return h.Name }).Left(),
		table.Show("measured (s)", seconds(func(h HeldOut) float64 { return h.Measured })),
		table.Show("simulated (s)", seconds(func(h HeldOut) float64 { return h.Simulated })),
		table.Show("error", func(h HeldOut) string { return fmt.Sprintf("%+.1f%%", 100*h.Error()) }))
	t.Name = "calibration-held-out"
	return t
}
