package report

import (
	"fmt"
	"strconv"

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

// ReplayTable is one row per replayed cell.
func ReplayTable(rs Replays, facts Facts) Table {
	var rung, rate, seed, steps, mean, ratio, median, p90 []string
	total := 0
	for _, r := range rs {
		rung, rate, seed = append(rung, r.Rung), append(rate, short(r.OfferedRPS)), append(seed, strconv.FormatUint(r.Seed, 10))
		steps = append(steps, strconv.Itoa(r.Steps))
		mean = append(mean, sig3(1e3*r.MeasuredS/float64(max(1, r.Steps))))
		ratio = append(ratio, fmt.Sprintf("%+.1f%%", 100*(r.ModelledS/r.MeasuredS-1)))
		median = append(median, fmt.Sprintf("%.1f%%", 100*r.MedianError))
		p90 = append(p90, fmt.Sprintf("%.1f%%", 100*r.P90Error))
		total += r.Steps
	}
	t := table.Of("The same batches, measured and by the cost model", facts.Caption(), []table.Col{
		table.Left("rung", rung), table.Right("offered (rps)", rate), table.Right("seed", seed), table.Right("steps", steps), table.Right("mean step (ms)", mean),
		table.Right("all steps, modelled", ratio), table.Right("one step: median error", median), table.Right("p90", p90),
	})
	measured, modelled := rs.Total()
	t.Notes = []string{
		fmt.Sprintf("Replayed with the recorded times of requests and steps, the scheduler decided all %d steps exactly as it did in the run.", total),
		fmt.Sprintf("In all the steps took %.1f s, and by the cost model %.1f s (%+.1f%%).", measured, modelled, 100*(modelled/measured-1)),
	}
	return t
}
