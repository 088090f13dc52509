package loadcheck

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Tape describes a tape that was read from file.
func Tape(file string, t *loadgen.Tape) table.Table {
	f := loadgen.Describe(t)
	type fact struct{ what, value string }
	var facts []fact
	row := func(what, value string) { facts = append(facts, fact{what, value}) }
	measured := func(x float64) string {
		if math.IsNaN(x) {
			return "too few arrivals"
		}
		return fmt.Sprintf("%.3f", x)
	}
	lengths := func(sorted []int) string {
		at := func(p float64) int { return sorted[int(p*float64(len(sorted)-1))] }
		return fmt.Sprintf("%d / %d / %d / %d", sorted[0], at(0.5), at(0.95), sorted[len(sorted)-1])
	}
	row("requests", fmt.Sprint(f.Requests))
	row("requests/s over the duration", fmt.Sprintf("%.3f", f.RPS))
	row("arrivals that come by themselves", fmt.Sprint(f.Arrivals))
	row("their gaps: coefficient of variation", measured(f.Gaps.CV))
	row(fmt.Sprintf("their index of dispersion, windows of %d", arrival.DispersionWindow), measured(f.Gaps.Dispersion))
	row("prompt, words: min / p50 / p95 / max", lengths(f.Prompt))
	row("requested output, tokens", lengths(f.MaxTokens))
	row("natural output, tokens", lengths(f.StopTokens))
	row("prompt words that an earlier prompt began with", fmt.Sprintf("%.1f%%", 100*f.Shared))
	row("shared prefixes", fmt.Sprint(f.Groups))
	for _, class := range slices.Sorted(maps.Keys(f.Classes)) {
		row("class "+class, fmt.Sprint(f.Classes[class]))
	}
	if f.Sessions > 0 {
		row("sessions", fmt.Sprint(f.Sessions))
		row("turns of the longest", fmt.Sprint(f.MaxTurns))
	}
	row("SHA-256", t.Hash())
	return table.New("Tape "+file, fmt.Sprintf("%s, arrivals %s, seed %d, %v at %g requests/s", t.Workload, t.Arrivals, t.Seed, t.Duration, t.RPS), facts,
		table.Show("what", func(f fact) string { return f.what }).Left(), table.Show("value", func(f fact) string { return f.value }))
}
