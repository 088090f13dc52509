package verdict

import (
	"encoding/json"
	"encoding/xml"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/internal/golden"
)

// gateFixture has a row of each verdict and of each kind of budget.
func gateFixture() Gate {
	promise := 0.05
	p := gate.Provenance{
		Command: "cadence-bench gate --update", Calibration: "c0ffee", Ladder: "gate", LadderFile: "1adde4",
		Rungs: []string{"fifo", "a|b"}, EngineSource: "one", Tapes: []gate.Tape{{RateRPS: 2, Seed: 1, Requests: 120, SHA256: "aa"}},
		Load: gate.Load{Workload: "w", Rates: []float64{2}, Seeds: []uint64{1}, DurationS: 60, WarmupS: 5, TimeoutS: 600, SLOS: 2},
	}
	b := gate.Baseline{Schema: gate.Schema, History: []gate.Reason{
		{Date: "2026-01-02", Reason: "first", EngineSource: "zero"}, {Date: "2026-02-03", Reason: "prefixes <are> published early", EngineSource: "one"},
	}}
	b.Provenance = p
	now := gate.Measured{Provenance: p}
	now.Provenance.EngineSource = "two"
	for _, f := range []struct {
		rung, metric string
		was, is      float64
		promise      *float64
	}{
		{"fifo", gate.E2EP99, 1.25, 1.5, nil}, {"fifo", gate.TTFTP99, 0.5, 0.4, nil}, {"fifo", gate.ITLP99, 0.05, 0.05, nil},
		{"fifo", gate.Goodput, 2, 1.9, nil}, {"fifo", gate.Steps, 4000, 4040, nil}, {"fifo", gate.Recomputed, 0, 9000, nil},
		{"fifo", gate.Evicted, 0, 0, nil}, {"fifo", gate.Copies, 70, 60, nil},
		{"a|b", gate.E2EP99, 1.25, math.NaN(), nil}, {"a|b", gate.TTFTP99, 0.5, 0.5, nil}, {"a|b", gate.ITLP99, 0.05, 0.051, nil},
		{"a|b", gate.Goodput, 2, 2.5, nil}, {"a|b", gate.HitRate, 0.5, 0.47, nil}, {"a|b", gate.Violations, 0.06, 0.0701, &promise},
		{"a|b", gate.Steps, 4000, 4000, nil}, {"a|b", gate.Recomputed, 0, 0, nil}, {"a|b", gate.Evicted, 5000, 4000, nil},
		{"a|b", gate.Copies, 70, 70, nil},
	} {
		one := gate.Figure{Rung: f.rung, RateRPS: 2, Metric: f.metric, Value: f.was, N: 120, Promise: f.promise}
		b.Figures = append(b.Figures, one)
		one.Value = f.is
		now.Figures = append(now.Figures, one)
	}
	allocs := gate.Figure{Rung: "fifo", Metric: gate.Allocs, Value: 4}
	b.Figures = append(b.Figures, allocs)
	allocs.Value = 6
	now.Figures = append(now.Figures, allocs)
	return Gate{Baseline: b, Now: now, Result: gate.Compare(b, now, gate.Budgets()), Why: whyFixture()}
}

func TestGateFormats(t *testing.T) {
	g := gateFixture()
	require.Equal(t, gate.Regression, g.Result.Verdict)
	for format, file := range map[string]string{"text": "gate.txt", "markdown": "gate.md", "json": "gate.json", "junit": "gate.xml"} {
		data, err := g.Format(format)
		require.NoError(t, err)
		golden.Equal(t, file, string(data))
	}
	_, err := g.Format("yaml")
	require.ErrorContains(t, err, `unknown format "yaml"`)
}

// TestGateThatCouldNotCompare: every format says why, and none says that it passed.
func TestGateThatCouldNotCompare(t *testing.T) {
	g := gateFixture()
	g.Now.Provenance.Calibration = "beef"
	g.Result, g.Why = gate.Compare(g.Baseline, g.Now, gate.Budgets()), Why{}
	for _, format := range Formats() {
		data, err := g.Format(format)
		require.NoError(t, err)
		require.Contains(t, string(data), "the baseline is of another calibration: c0ffee, now beef", format)
		require.NotContains(t, string(data), "pass", format)
	}
}

// TestGateCounts: what machines read agrees with the rows.
func TestGateCounts(t *testing.T) {
	g := gateFixture()
	g.Result.Obstacles = []string{"a cell is void"}
	data, err := g.Format("junit")
	require.NoError(t, err)
	var suites junitSuites
	require.NoError(t, xml.Unmarshal(data, &suites))
	require.Equal(t, len(g.Result.Rows)+1, suites.Tests)
	require.Equal(t, g.Result.Count(gate.Regression), suites.Failures)
	require.Equal(t, g.Result.Count(gate.NotMeasurable)+1, suites.Errors)

	data, err = g.Format("json")
	require.NoError(t, err)
	var record gateRecord
	require.NoError(t, json.Unmarshal(data, &record))
	require.Len(t, record.Rows, len(g.Result.Rows))
	require.Equal(t, g.Result.Verdict, record.Verdict)
}
