package format

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
)

func TestSig3(t *testing.T) {
	for _, c := range []struct {
		v           float64
		sig3, short string
	}{
		{0, "0", "0"},
		{1, "1.00", "1"},
		{0.5, "0.500", "0.5"},
		{9.994, "9.99", "9.99"},
		{9.996, "10.0", "10"},
		{99.96, "100", "100"},
		{1234, "1230", "1230"},
		{0.0123456, "0.0123", "0.0123"},
		{-2.5, "-2.50", "-2.5"},
		{30, "30.0", "30"},
		{100, "100", "100"},
	} {
		require.Equal(t, c.sig3, Sig3(c.v))
		require.Equal(t, c.short, Short(c.v))
	}
}

func TestColumnScale(t *testing.T) {
	ms, s := ScaleOf(unit.Seconds, 0.9), ScaleOf(unit.Seconds, 1)
	require.Equal(t, "ITL p99 (ms)", ms.Name("ITL p99"))
	require.Equal(t, "5.70", ms.Format(0.0057))
	require.Equal(t, "E2E (s)", s.Name("E2E"))
	require.Equal(t, "0.250", s.Format(0.25))
	require.Equal(t, "87.5%", ScaleOf(unit.Fraction, 1).Format(0.875))
	require.Equal(t, "12", ScaleOf(unit.Count, 12).Format(12))
	require.Equal(t, "shed", ScaleOf(unit.Count, 12).Name("shed"))
}

func TestRangeFormats(t *testing.T) {
	s := ScaleOf(unit.Seconds, 30)
	for _, c := range []struct {
		r            analysis.Range
		mean, spread string
	}{
		{analysis.Range{}, "–", "–"},
		{analysis.Range{Mean: 2, Min: 2, Max: 2, N: 1}, "2.00", "2.00"},
		{analysis.Range{Mean: 2, Min: 1, Max: 3, N: 3}, "2.00", "2.00 (1.00–3.00)"},
		{analysis.Range{Mean: 2, Min: 2, Max: 2, N: 3}, "2.00", "2.00"},
		{analysis.Range{Mean: 30, Min: 30, Max: 30, N: 3, Bounds: 3}, ">30", ">30"},
		{analysis.Range{Mean: 20, Min: 10, Max: 30, N: 2, Bounds: 1}, ">20", ">20 (10.0–>30)"},
	} {
		require.Equal(t, c.mean, s.Mean(c.r))
		require.Equal(t, c.spread, s.Spread(c.r))
	}
}

func TestSuperscript(t *testing.T) {
	require.Equal(t, "¹", Superscript(1))
	require.Equal(t, "²⁰", Superscript(20))
}
