package outline

import (
	"fmt"
	"io"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Plan shows what cfg would measure if it began at a time.
func Plan(out io.Writer, cfg ladder.Config, begin time.Time, simulated bool) error {
	rungs, err := cfg.Measured()
	if err != nil {
		return fault.Input.Wrap(err)
	}
	rates, label := cfg.Rates, func(rate float64) string { return fmt.Sprintf("%g", rate) }
	if rates == nil {
		for i := range cfg.NumRates {
			rates = append(rates, float64(i+1))
		}
		label = func(i float64) string { return fmt.Sprintf("auto %g of %d", i, cfg.NumRates) }
	}
	cells := ladder.Plan(rungs, rates, cfg.Seeds, cfg.Repeats)
	places := make([]int, len(cells))
	for i := range places {
		places[i] = i
	}
	t := table.New("", "", places,
		table.Show("cell", func(i int) string { return fmt.Sprint(i + 1) }),
		table.Show("rung", func(i int) string { return caption.CellRung(cells[i]) }).Left(),
		table.Show("offered (rps)", func(i int) string { return label(cells[i].OfferedRPS) }),
		table.Show("seed", func(i int) string { return fmt.Sprint(cells[i].Seed) }),
		table.Show("begins after about", func(i int) string { return (time.Duration(i) * cfg.CellTime()).String() }))
	if err := t.Text(out); err != nil {
		return err
	}
	n := time.Duration(len(cells))
	repeats := ""
	if cfg.Replicates > 1 {
		repeats += fmt.Sprintf(" × %d replicates", cfg.Replicates)
	}
	if cfg.Anchor != "" {
		repeats += fmt.Sprintf(" + %d anchors of %s", len(rates)*len(cfg.Seeds), cfg.Anchor)
	}
	fmt.Fprintf(out, "\n%d cells: %d rungs × %d rates × %d seed(s)%s, each %v of arrivals and up to %v until the last is answered or given up\n",
		len(cells), len(rungs), len(rates), len(cfg.Seeds), repeats, cfg.Duration, cfg.Timeout)
	if simulated {
		fmt.Fprintf(out, "estimate: %v of simulated time (%v to %v), which pass far faster\n", n*cfg.CellTime(), n*cfg.Duration, n*(cfg.Duration+cfg.Timeout))
	} else {
		fmt.Fprintf(out, "estimate: %v (%v to %v), so that it would end about %s if it began now\n",
			n*cfg.CellTime(), n*cfg.Duration, n*(cfg.Duration+cfg.Timeout), begin.Add(n*cfg.CellTime()).Format("2006-01-02 15:04 MST"))
	}
	if cfg.Rates == nil || cfg.SLO == 0 {
		fmt.Fprintln(out, "rates and SLO that are left to auto are chosen at the start, by short measurements that come on top; there may be fewer rates")
	}
	return nil
}
