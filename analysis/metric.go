package analysis

import (
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/results"
)

// Better says which direction of a metric is an improvement.
type Better int8

const (
	Neither Better = 0
	Higher  Better = 1
	Lower   Better = -1
)

// Value is one metric of one cell.
type Value struct {
	V     float64
	OK    bool // false: not measured
	Bound bool // the truth is above V
	Thin  bool // a quantile of too few for an upper end of its interval; in a comparison, merely the maximum
}

// Metric is one number that a cell has. Its key is the one of summary.json.
type Metric struct {
	Key    string
	Label  string
	Unit   unit.Unit
	Better Better
	Of     func(*CellMetrics) Value
}

// The metrics of a cell. Tables and charts choose among them.
var (
	Arrivals   = count("arrivals", "arrivals", Neither, func(m *CellMetrics) int { return m.Arrivals })
	Completed  = count("completed", "completed", Neither, func(m *CellMetrics) int { return m.Completed })
	Shed       = count("shed", "shed", Lower, func(m *CellMetrics) int { return m.Shed })
	Dropped    = count("dropped", "dropped", Lower, func(m *CellMetrics) int { return m.Admission.Dropped })
	Aborted    = count("aborted", "aborted", Lower, func(m *CellMetrics) int { return m.Admission.Aborted })
	ShedShare  = optional("shed_share", "shed", unit.Fraction, Lower, func(m *CellMetrics) results.Opt[float64] { return share(m.Shed, m.Arrivals) })
	Violations = optional("violation_rate", "violations, admitted", unit.Fraction, Lower, func(m *CellMetrics) results.Opt[float64] { return m.Admission.ViolationRate() })
	Timeouts   = count("timeouts", "timeouts", Lower, func(m *CellMetrics) int { return m.TimedOut })
	Failures   = count("failed", "failures", Lower, func(m *CellMetrics) int { return m.Failed })
	Achieved   = optional("achieved_rps", "achieved", unit.PerSecond, Neither, func(m *CellMetrics) results.Opt[float64] { return m.AchievedRPS })
	Throughput = optional("throughput_rps", "throughput", unit.PerSecond, Higher, func(m *CellMetrics) results.Opt[float64] { return m.ThroughputRPS })
	Goodput    = counted("goodput_rps", "goodput", unit.PerSecond, func(m *CellMetrics) results.Opt[float64] { return m.GoodputRPS })
	Tokens     = optional("throughput_tokens_per_s", "output tokens", unit.TokensPerS, Higher, func(m *CellMetrics) results.Opt[float64] { return m.OutputTokensPerS })
	// CompletedTokens are those of the arrivals that Throughput counts, whenever they
	// were ready; Tokens are all that were ready during the window.
	CompletedTokens = optional("completed_tokens_per_s", "tokens of completed", unit.TokensPerS, Higher, func(m *CellMetrics) results.Opt[float64] { return m.CompletedTokensPerS })
	Attainment      = counted("attainment", "attainment", unit.Fraction, func(m *CellMetrics) results.Opt[float64] { return m.Attainment })
	Admitted        = counted("attainment_admitted", "attainment, admitted", unit.Fraction, func(m *CellMetrics) results.Opt[float64] { return m.AttainmentAdmitted })
	HitRate         = optional("hit_rate", "prefix hits", unit.Fraction, Higher, func(m *CellMetrics) results.Opt[float64] { return m.HitRate })
	HitCeiling      = optional("hit_ceiling", "ceiling", unit.Fraction, Neither, func(m *CellMetrics) results.Opt[float64] { return m.HitCeiling })
	HitReached      = optional("hit_of_ceiling", "of the ceiling", unit.Fraction, Higher, func(m *CellMetrics) results.Opt[float64] { return m.HitReached })
	TTFTP50         = quantile("ttft_p50_s", "TTFT p50", func(m *CellMetrics) stats.Quantile { return m.TTFT.P50 })
	TTFTP90         = quantile("ttft_p90_s", "TTFT p90", func(m *CellMetrics) stats.Quantile { return m.TTFT.P90 })
	ITLP90          = quantile("itl_p90_s", "ITL p90", func(m *CellMetrics) stats.Quantile { return m.ITL.P90 })
	E2EP90          = quantile("e2e_p90_s", "E2E p90", func(m *CellMetrics) stats.Quantile { return m.E2E.P90 })
	TTFTP99         = quantile("ttft_p99_s", "TTFT p99", func(m *CellMetrics) stats.Quantile { return m.TTFT.P99 })
	ITLP50          = quantile("itl_p50_s", "ITL p50", func(m *CellMetrics) stats.Quantile { return m.ITL.P50 })
	ITLP99          = quantile("itl_p99_s", "ITL p99", func(m *CellMetrics) stats.Quantile { return m.ITL.P99 })
	TPOTP50         = quantile("tpot_p50_s", "TPOT p50", func(m *CellMetrics) stats.Quantile { return m.TPOT.P50 })
	TPOTP99         = quantile("tpot_p99_s", "TPOT p99", func(m *CellMetrics) stats.Quantile { return m.TPOT.P99 })
	E2EP50          = quantile("e2e_p50_s", "E2E p50", func(m *CellMetrics) stats.Quantile { return m.E2E.P50 })
	E2EP99          = quantile("e2e_p99_s", "E2E p99", func(m *CellMetrics) stats.Quantile { return m.E2E.P99 })
	LagP99          = quantile("dispatch_lag_p99_s", "dispatch lag p99", func(m *CellMetrics) stats.Quantile { return m.DispatchLag.P99 })
)

func count(key, label string, b Better, of func(*CellMetrics) int) Metric {
	return Metric{key, label, unit.Count, b, func(m *CellMetrics) Value { return Value{V: float64(of(m)), OK: true} }}
}

func optional(key, label string, u unit.Unit, b Better, of func(*CellMetrics) results.Opt[float64]) Metric {
	return Metric{key, label, u, b, func(m *CellMetrics) Value {
		v := of(m)
		return Value{V: v.V, OK: v.OK}
	}}
}

// counted is a metric that counts who met the SLO; a lower bound where some gave up
// before it was over.
func counted(key, label string, u unit.Unit, of func(*CellMetrics) results.Opt[float64]) Metric {
	return Metric{key, label, u, Higher, func(m *CellMetrics) Value {
		v := of(m)
		return Value{V: v.V, OK: v.OK, Bound: m.Undecided > 0}
	}}
}

func quantile(key, label string, of func(*CellMetrics) stats.Quantile) Metric {
	return Metric{key, label, unit.Seconds, Lower, func(m *CellMetrics) Value {
		q := of(m)
		return Value{V: q.Value, OK: q.N > 0, Bound: q.Censored, Thin: !q.Supported}
	}}
}

// The machine's speed before a cell, as its probe had it.
var (
	ProbeDecode  = probeMetric(func(p results.Probe) float64 { return p.DecodeTokensPerS })
	ProbePrefill = probeMetric(func(p results.Probe) float64 { return p.PrefillTokensPerS })
)

func probeMetric(of func(results.Probe) float64) Metric {
	return Metric{Unit: unit.TokensPerS, Better: Higher, Of: func(m *CellMetrics) Value {
		p := m.Cell.ProbeBefore
		return Value{V: of(p.V), OK: p.OK}
	}}
}
