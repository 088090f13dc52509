package analysis

import (
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// Summary returns the cell's object for summary.json.
func (m *CellMetrics) Summary() results.CellSummary {
	sum := results.CellSummary{
		Schema: results.SchemaVersion, Key: m.Cell.Key, Order: m.Cell.Order,
		Backend: m.Cell.Backend, Workload: m.Cell.Workload,
		DurationS: m.Cell.DurationS, WarmupS: m.Window.WarmupS, SLOS: m.SLOS,
		Arrivals: m.Arrivals, Completed: m.Completed, Shed: m.Shed,
		Timeouts: m.TimedOut, Cancelled: m.Cancelled, Failed: m.Failed,
		AchievedRPS: m.AchievedRPS, ThroughputRPS: m.ThroughputRPS,
		ThroughputTokensPS: m.OutputTokensPerS, CompletedTokensPS: m.CompletedTokensPerS, GoodputRPS: m.GoodputRPS,
		Attainment: m.Attainment, AttainmentAdmitted: m.AttainmentAdmitted,
		ShedShare: share(m.Shed, m.Arrivals), ViolationRate: m.Admission.ViolationRate(),
		HitRate: m.HitRate, HitCeiling: m.HitCeiling, HitReached: m.HitReached, DispatchLagP99S: known(m.DispatchLag.P99),
		ProbeBeforeTokensPS: decodeRate(m.Cell.ProbeBefore), ProbeAfterTokensPS: decodeRate(m.Cell.ProbeAfter),
		Extrapolated: m.Cell.Extrapolated, Valid: m.Valid(), InvalidReasons: []string{}, LowerBounds: []string{},
	}
	for _, metric := range []struct {
		key string
		to  *results.Opt[float64]
		q   stats.Quantile
	}{
		{"ttft_p50_s", &sum.TTFTP50S, m.TTFT.P50}, {"ttft_p99_s", &sum.TTFTP99S, m.TTFT.P99},
		{"itl_p50_s", &sum.ITLP50S, m.ITL.P50}, {"itl_p99_s", &sum.ITLP99S, m.ITL.P99},
		{"e2e_p50_s", &sum.E2EP50S, m.E2E.P50}, {"e2e_p99_s", &sum.E2EP99S, m.E2E.P99},
	} {
		*metric.to = known(metric.q)
		if metric.q.Censored && metric.to.OK {
			sum.LowerBounds = append(sum.LowerBounds, metric.key)
		}
	}
	for _, metric := range []Metric{Goodput, Attainment, Admitted} {
		if v := metric.Of(m); v.OK && v.Bound {
			sum.LowerBounds = append(sum.LowerBounds, metric.Key)
		}
	}
	for _, w := range m.Warnings {
		sum.Warnings = append(sum.Warnings, results.Caution{Code: w.Code, About: results.AboutCell, Text: w.Text})
	}
	if a := m.Admission; a.Asked > 0 {
		sum.Dropped, sum.Aborted, sum.Forced = results.Some(a.Dropped), results.Some(a.Aborted), results.Some(a.Forced)
	}
	for _, w := range m.Invalid {
		sum.InvalidReasons = append(sum.InvalidReasons, w.Text)
	}
	return sum
}

func known(q stats.Quantile) results.Opt[float64] {
	if q.N == 0 {
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
