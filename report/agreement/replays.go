package agreement

import (
	"fmt"
	"strconv"

	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Replay is what the replay of a traced cell found: the scheduler decided every step as
// recorded, and this is how long the cost model takes for the same batches.
type Replay struct {
	results.Key
	Steps int `json:"steps"`
	// MeasuredS and ModelledS are the time of all steps with rows, in seconds.
	MeasuredS float64 `json:"measured_s"`
	ModelledS float64 `json:"modelled_s"`
	// MedianError and P90Error are of modelled over measured less one, by size, over the
	// steps.
	MedianError float64 `json:"median_error"`
	P90Error    float64 `json:"p90_error"`
}

// Replays are the replayed cells of a run.
type Replays []Replay

// Total is the time of all steps, measured and modelled, in seconds.
func (r Replays) Total() (measured, modelled float64) {
	for _, c := range r {
		measured += c.MeasuredS
		modelled += c.ModelledS
	}
	return measured, modelled
}

// byStep is one row per replayed cell.
func byStep(rs Replays, facts caption.Facts) table.Table {
	total := 0
	for _, r := range rs {
		total += r.Steps
	}
	percent := func(of func(Replay) float64) func(Replay) string {
		return func(r Replay) string { return fmt.Sprintf("%.1f%%", 100*of(r)) }
	}
	t := table.New("The same batches, measured and by the cost model", facts.Caption(), rs, append(keyColumns(func(r Replay) results.Key { return r.Key }),
		table.Show("steps", func(r Replay) string { return strconv.Itoa(r.Steps) }),
		table.Show("mean step (ms)", func(r Replay) string { return format.Sig3(1e3 * r.MeasuredS / float64(max(1, r.Steps))) }),
		table.Show("all steps, modelled", func(r Replay) string { return fmt.Sprintf("%+.1f%%", 100*(r.ModelledS/r.MeasuredS-1)) }),
		table.Show("one step: median error", percent(func(r Replay) float64 { return r.MedianError })),
		table.Show("p90", percent(func(r Replay) float64 { return r.P90Error })))...)
	measured, modelled := rs.Total()
	t.Notes = []string{
		fmt.Sprintf("Replayed with the recorded times of requests and steps, the scheduler decided all %d steps exactly as it did in the run.", total),
		fmt.Sprintf("In all the steps took %.1f s, and by the cost model %.1f s (%+.1f%%).", measured, modelled, 100*(modelled/measured-1)),
	}
	return t
}
