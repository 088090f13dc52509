package analysis

import "github.com/cadence-bench/cadence-bench/results"

// Summaries returns one object per cell for summary.json, in the order of the
// sweep. A quantile that is only known to exceed a bound is null there.
func Summaries(s *Sweep) []results.CellSummary {
	sums := make([]results.CellSummary, len(s.Cells))
	for i := range s.Cells {
		sums[i] = s.Cells[i].Summary()
	}
	return sums
}

// Summary returns the cell's object for summary.json.
func (m *CellMetrics) Summary() results.CellSummary {
	sum := results.CellSummary{
		Schema: results.SchemaVersion, Key: m.Cell.Key, Order: m.Cell.Order,
		Backend: m.Cell.Backend, Workload: m.Cell.Workload,
		DurationS: m.Cell.DurationS, WarmupS: m.Window.WarmupS, SLOS: m.SLOS,
		Arrivals: m.Arrivals, Completed: m.Completed, Shed: m.Shed,
		Timeouts: m.TimedOut, Cancelled: m.Cancelled, Failed: m.Failed,
		AchievedRPS: m.AchievedRPS, ThroughputRPS: m.ThroughputRPS,
		ThroughputTokensPS: m.OutputTokensPerS, GoodputRPS: m.GoodputRPS,
		Attainment: m.Attainment, AttainmentAdmitted: m.AttainmentAdmitted,
		TTFTP50S: known(m.TTFT.P50), TTFTP99S: known(m.TTFT.P99),
		ITLP50S: known(m.ITL.P50), ITLP99S: known(m.ITL.P99),
		E2EP50S: known(m.E2E.P50), E2EP99S: known(m.E2E.P99),
		HitRate: m.HitRate, DispatchLagP99S: known(m.DispatchLag.P99),
		ProbeBeforeTokensPS: decodeRate(m.Cell.ProbeBefore), ProbeAfterTokensPS: decodeRate(m.Cell.ProbeAfter),
		Valid: m.Valid(), InvalidReasons: []string{},
	}
	for _, w := range m.Invalid {
		sum.InvalidReasons = append(sum.InvalidReasons, w.Text)
	}
	return sum
}

func known(q Quantile) results.Opt[float64] {
	if q.N == 0 || q.Censored {
		return results.Opt[float64]{}
	}
	return results.Some(q.Value)
}

func decodeRate(p results.Opt[results.Probe]) results.Opt[float64] {
	if !p.OK {
		return results.Opt[float64]{}
	}
	return results.Some(p.V.DecodeTokensPerS)
}
