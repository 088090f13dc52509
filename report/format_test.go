package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/format"
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
		require.Equal(t, c.sig3, format.Sig3(c.v))
		require.Equal(t, c.short, format.Short(c.v))
	}
}

func TestColumnScale(t *testing.T) {
	ms, s := scaleOf(analysis.Seconds, 0.9), scaleOf(analysis.Seconds, 1)
	require.Equal(t, "ITL p99 (ms)", ms.name("ITL p99"))
	require.Equal(t, "5.70", ms.format(0.0057))
	require.Equal(t, "E2E (s)", s.name("E2E"))
	require.Equal(t, "0.250", s.format(0.25))
	require.Equal(t, "87.5%", scaleOf(analysis.Fraction, 1).format(0.875))
	require.Equal(t, "12", scaleOf(analysis.Count, 12).format(12))
	require.Equal(t, "shed", scaleOf(analysis.Count, 12).name("shed"))
}

func TestRangeFormats(t *testing.T) {
	s := scaleOf(analysis.Seconds, 30)
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
		require.Equal(t, c.mean, s.mean(c.r))
		require.Equal(t, c.spread, s.spread(c.r))
	}
}

func TestSuperscript(t *testing.T) {
	require.Equal(t, "¹", superscript(1))
	require.Equal(t, "²⁰", superscript(20))
}
