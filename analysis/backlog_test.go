package analysis_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestBacklogByHand: three requests, one of the warm-up and one that is never answered.
func TestBacklogByHand(t *testing.T) {
	recs := []results.Record{
		analysistest.Row(0, 1*time.Second, results.Completed, 3*time.Second),  // owed until 4 s: two seconds of the window
		analysistest.Row(1, 5*time.Second, results.Completed, 2*time.Second),  // two more
		analysistest.Row(2, 8*time.Second, results.TimedOut),                  // from 8 s to the end at 10 s
		analysistest.Row(3, 9*time.Second, results.Shed),                      // a millisecond
		analysistest.Row(4, 9*time.Second, results.Failed),                    // ten
		analysistest.Row(5, 11*time.Second, results.Completed, 1*time.Second), // after the window
	}
	require.InDelta(t, (2+2+2+0.001+0.010)/8, analysis.Measure(analysistest.Cell(), recs, analysis.Options{}).Backlog.Mean, 1e-9)
	require.False(t, analysis.Measure(analysistest.Cell(), recs, analysis.Options{CooldownS: 8}).Backlog.OK)
	require.False(t, analysis.Measure(analysistest.Cell(), nil, analysis.Options{}).Backlog.OK)
}

// TestAnsweredIsGoodput: in order of arrival, whatever the order of the rows.
func TestAnsweredIsGoodput(t *testing.T) {
	recs := []results.Record{
		analysistest.Row(1, 5*time.Second, results.Completed, 1500*ms),
		analysistest.Row(0, 3*time.Second, results.Completed, 500*ms),
		analysistest.Row(2, 6*time.Second, results.Shed),
		analysistest.Row(3, 7*time.Second, results.Completed, 900*ms),
	}
	m := analysis.Measure(analysistest.Cell(), recs, analysis.Options{})
	require.Equal(t, []bool{true, false, false, true}, m.Answered.Good)
	require.Equal(t, 2.0/8, m.GoodputRPS.V)
}
