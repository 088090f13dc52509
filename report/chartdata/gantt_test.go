package chartdata

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

func TestScheduleShowsWhatRequestsDo(t *testing.T) {
	r := &run{}
	r.add("prefix", 2, 1, served(0, 0, 0.25, 0.5, 1), shed(1, 0.5), served(2, 1, 1, 2, 3), expired(3, 1))
	c := r.charts(t)["schedule"]
	require.Equal(t, "The first requests at 2 rps", c.Title)
	require.Contains(t, c.Facts, "from the requests' own times: the steps were not traced")
	p := c.Panels[0]
	require.Equal(t, 2.0, p.X.Max, "twice the last arrival")
	require.Equal(t, &Gantt{
		Rung: "prefix", Look: 3, Requests: []int32{0, 1, 2, 3},
		Spans: []Span{
			{0, 0, 0.25, Queued}, {0, 0.25, 0.5, Prefill}, {0, 0.5, 1, Decode},
			{2, 1, 2, Prefill}, // its decoding is beyond the window
			{3, 1, 2, Queued},  // it gives up later
		},
		Marks: []Mark{{1, 0.5, Refused}},
	}, p.Gantt)
}

func TestScheduleTakesStepsAndPreemptions(t *testing.T) {
	r := &run{}
	r.add("fifo", 2, 1, served(0, 0, 0.5, 1, 1.5, 4, 4.5), served(1, 2, 2, 3))
	r.steps[r.keys[0]] = []results.StepRow{
		{Start: at(0.5), End: at(1), Rows: 100, PrefillRows: 100, Admitted: []results.StepAdmission{{Request: 0}}},
		{Start: at(1), End: at(1.5), Rows: 1, DecodeRows: 1},
		{Start: at(2), End: at(3), Rows: 100, PrefillRows: 100, Preempted: []results.StepPreemption{{Request: 0}}, Admitted: []results.StepAdmission{{Request: 1}}},
		{Start: at(3), End: at(4), Rows: 102, PrefillRows: 101, Admitted: []results.StepAdmission{{Request: 0, Again: true}}},
		{Start: at(4), End: at(4.5), Rows: 1},
	}
	c := r.charts(t)["schedule"]
	require.Equal(t, "The first requests at 2 rps, step by step", c.Title)
	g := c.Panels[0].Gantt
	require.Equal(t, []Span{
		{0, 0, 0.5, Queued}, {0, 0.5, 1, Prefill}, {0, 1, 2, Decode}, {0, 2, 3, Queued}, {0, 3, 4, Prefill},
		{1, 2, 3, Prefill},
	}, g.Spans)
	require.Equal(t, []Step{{0.5, 1, 100, 100}, {1, 1.5, 1, 0}, {2, 3, 100, 100}, {3, 4, 102, 101}}, g.Steps, "until the end of the window")
}

// TestLivesAreWhole: whatever happens to a request, its spans lie end to end from its
// arrival until its end.
func TestLivesAreWhole(t *testing.T) {
	again := []interruption{{2, 3}, {3.5, 3.5}, {5, 20}}
	for _, r := range []results.Record{served(0, 0, 1, 1.5, 6), served(0, 0.5, 1, 4, 4.1, 4.2), served(0, 0, 1, 1.5), expired(0, 1)} {
		for _, gaps := range [][]interruption{nil, again[:1], again} {
			spans, _ := lifeOf(0, &r, gaps)
			from := r.Intended.Seconds()
			for _, s := range spans {
				require.InDelta(t, from, s.From, 1e-9)
				require.GreaterOrEqual(t, s.To, s.From)
				from = s.To
			}
			require.InDelta(t, r.Ended.V.Seconds(), from, 1e-9)
		}
	}
}

func TestScheduleShowsAFewRequests(t *testing.T) {
	r := &run{}
	var rows []results.Record
	for i := range int32(100) {
		rows = append(rows, served(i, float64(i)/10, 11, 12))
	}
	r.add("fifo", 10, 1, rows...)
	g := r.charts(t)["schedule"].Panels[0].Gantt
	require.Len(t, g.Requests, ganttRows)
	require.Len(t, g.Spans, ganttRows, "all queued in the window")
}
