package chartdata

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

func at(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// served is a request that arrives, starts and has tokens at these seconds.
func served(id int32, arrives, starts float64, tokens ...float64) results.Record {
	r := results.Record{
		Request: id, Outcome: results.Completed, Intended: at(arrives), Sent: results.Some(at(arrives)),
		Started: results.Some(at(starts)), PromptTokens: 100, MaxTokens: 100,
	}
	for _, t := range tokens {
		r.Tokens = append(r.Tokens, at(t))
	}
	r.Ended = results.Some(r.Tokens[len(r.Tokens)-1])
	return r
}

func shed(id int32, arrives float64) results.Record {
	return results.Record{Request: id, Outcome: results.Shed, Intended: at(arrives), Sent: results.Some(at(arrives)), Ended: results.Some(at(arrives)), PromptTokens: 100}
}

// expired is a request that waits until the client gives up, after 8 s.
func expired(id int32, arrives float64) results.Record {
	return results.Record{Request: id, Outcome: results.TimedOut, Intended: at(arrives), Sent: results.Some(at(arrives)), Ended: results.Some(at(arrives + 8)), PromptTokens: 100}
}

// run is a sweep made by hand: rows by cell, of cells of ten seconds of arrivals whose
// first two warm up.
type run struct {
	keys  []results.Key
	rows  map[results.Key][]results.Record
	cells map[results.Key]results.Cell
	steps map[results.Key][]results.StepRow
}

func (r *run) add(rung string, rate float64, seed uint64, rows ...results.Record) {
	if r.rows == nil {
		r.rows, r.cells, r.steps = map[results.Key][]results.Record{}, map[results.Key]results.Cell{}, map[results.Key][]results.StepRow{}
	}
	k := results.Key{Rung: rung, OfferedRPS: rate, Seed: seed}
	r.cells[k] = results.Cell{
		Key: k, Order: len(r.keys), Backend: "llama.cpp", Workload: "mixed",
		DurationS: 10, WarmupS: 2, TimeoutS: 8, SLOS: 2, EndedS: 18,
	}
	r.keys, r.rows[k] = append(r.keys, k), rows
}

func (r *run) sweep() *analysis.Sweep {
	var cells []analysis.CellMetrics
	for _, k := range r.keys {
		m := analysis.Measure(r.cells[k], r.rows[k], analysis.Options{})
		m.Invalid = nil // so few requests offer no load worth the name
		cells = append(cells, m)
	}
	return analysis.NewSweep(cells, nil)
}

func (r *run) source() Source {
	return Source{
		Records: func(k results.Key) ([]results.Record, error) { return r.rows[k], nil },
		Steps:   func(k results.Key) ([]results.StepRow, error) { return r.steps[k], nil },
	}
}

func (r *run) charts(t *testing.T) map[string]Chart {
	all, err := All(r.sweep(), r.source())
	require.NoError(t, err)
	byName := map[string]Chart{}
	for _, c := range all {
		require.Equal(t, c.Absent == "", len(c.Panels) > 0, c.Name)
		byName[c.Name] = c
	}
	return byName
}

// small is two rungs at two rates and two seeds. fifo answers one request of the steady
// window in 1 s and the other in 3 s at 1 rps, and none at 2 rps; prefix answers in half
// a second and refuses one of four at 2 rps.
func small() *run {
	r := &run{}
	for seed := uint64(1); seed <= 2; seed++ {
		late := float64(seed - 1)
		r.add("fifo", 1, seed, served(0, 0.5, 0.5, 0.9), served(1, 3, 3, 3.5, 4), served(2, 4, 4, 6, 7+late))
		r.add("prefix", 1, seed, served(0, 0.5, 0.5, 0.9), served(1, 3, 3, 3.1, 3.5), served(2, 4, 4, 4.1, 4.5))
		r.add("fifo", 2, seed, expired(0, 3), expired(1, 4))
		r.add("prefix", 2, seed, served(0, 3, 3, 3.2, 3.5), shed(1, 4), served(2, 5, 5, 5.2, 5.5), served(3, 6, 6, 6.2, 6.5))
	}
	return r
}

func TestRateCharts(t *testing.T) {
	charts := small().charts(t)
	p := charts["e2e-p99"].Panels[0]
	require.Equal(t, Series{Kind: Line, Rung: "fifo", Look: 0, Name: "E2E p99", Points: []Point{
		{X: 1, Y: 3.5, Band: &Band{Min: 3, Max: 4, Seeds: 2}, Requests: 4},
		{X: 2, Y: 8, Band: &Band{Min: 8, Max: 8, Seeds: 2}, Bound: true, Requests: 4},
	}}, p.Series[0])
	require.Equal(t, []Point{{X: 1, Y: 0.5, Band: &Band{0.5, 0.5, 2}, Requests: 4}, {X: 2, Y: 0.5, Band: &Band{0.5, 0.5, 2}, Requests: 8}}, p.Series[1].Points)
	require.Equal(t, 3, p.Series[1].Look, "prefix looks as in a run of the whole ladder")
	require.Equal(t, []Rule{
		{Kind: Saturation, OnX: true, At: 1, Lo: 1, Hi: 1, Name: "where its goodput peaks", Rung: "fifo"},
		{Kind: SLO, At: 2, Name: "SLO 2 s"},
		{Kind: Timeout, At: 8, Name: "client timeout 8 s"},
	}, p.Rules)
	require.Equal(t, []string{"not saturated at the highest rate: prefix"}, charts["e2e-p99"].Facts)
	require.True(t, p.Y.Log)
	require.Less(t, p.Y.Min, 0.5)
	require.Greater(t, p.Y.Max, 8.0, "room for the arrows")

	first := charts["ttft"]
	require.InDelta(t, 0.1, first.Panels[0].Series[1].Points[0].Y, 1e-9)
	require.Equal(t, first.Panels[0].Y, first.Panels[1].Y, "equal axes")

	good := charts["goodput"].Panels[0]
	require.InDelta(t, 1.0/8, good.Series[0].Points[0].Y, 1e-6, "one within 2 s, in a window of 8 s")
	require.InDelta(t, 3.0/8, good.Series[1].Points[1].Y, 1e-6)
	require.Equal(t, Ideal, good.Rules[1].Kind)
}

func TestRefusals(t *testing.T) {
	r := small()
	c := r.charts(t)["refused"]
	require.Equal(t, []Point{{X: 1, Y: 0, Band: &Band{0, 0, 2}, Requests: 4}, {X: 2, Y: 0.25, Band: &Band{0.25, 0.25, 2}, Requests: 8}}, c.Panels[1].Series[1].Points)
	require.Equal(t, "goodput", c.Panels[0].Title)

	none := &run{}
	none.add("fifo", 1, 1, served(0, 3, 3, 4))
	require.Equal(t, "no rung refused a request", none.charts(t)["refused"].Absent)
}

func TestOverTimeHasEveryRequestOnce(t *testing.T) {
	c := small().charts(t)["e2e-over-time"]
	require.Equal(t, "End-to-end latency over arrival time at 2 rps", c.Title)
	require.Equal(t, []string{"seed 1", "the highest rate that every rung has", "past their peaks of goodput: fifo"}, c.Facts,
		"prefix holds 1 rps, but no rung is overloaded there")
	require.Equal(t, []Series{{Kind: Crosses, Rung: "fifo", Name: "no answer by then", Points: []Point{{X: 3, Y: 8, Bound: true}, {X: 4, Y: 8, Bound: true}}}}, c.Panels[0].Series)
	require.Equal(t, []Series{
		{Kind: Dots, Rung: "prefix", Look: 3, Name: "answered", Points: []Point{{X: 3, Y: 0.5}, {X: 5, Y: 0.5}, {X: 6, Y: 0.5}}},
		{Kind: Ticks, Rung: "prefix", Look: 3, Name: "refused", Points: []Point{{X: 4}}},
	}, c.Panels[1].Series)
	require.Equal(t, []Shade{{0, 2, "outside the steady window"}}, c.Panels[0].Shades)
	require.Equal(t, c.Panels[0].Y, c.Panels[1].Y)
}

func TestManyRequestsAreThinnedAndSaidSo(t *testing.T) {
	r := &run{}
	var rows []results.Record
	for i := range 2*maxDots + 1 {
		rows = append(rows, served(int32(i), 2+float64(i)*0.001, 9, 9.5))
	}
	r.add("fifo", 1, 1, rows...)
	c := r.charts(t)["e2e-over-time"]
	require.Len(t, c.Panels[0].Series[0].Points, 1334)
	require.Contains(t, c.Facts, "only every 3rd request is drawn")
	require.Equal(t, 2.003, c.Panels[0].Series[0].Points[1].X)
}

func TestDistributions(t *testing.T) {
	charts := small().charts(t)
	c := charts["e2e-cdf"]
	require.Len(t, c.Panels, 1, "prefix peaks at the highest rate")
	require.Equal(t, "2 rps: goodput of prefix peaks", c.Panels[0].Title)
	require.Len(t, c.Panels[0].Series, 1, "fifo has no answer")
	points := c.Panels[0].Series[0].Points
	require.Equal(t, Point{X: 0.5, Y: 0.75}, points[len(points)-1], "a quarter of the arrivals were refused")
	require.Equal(t, []Rule{{Kind: SLO, OnX: true, At: 2, Name: "SLO 2 s"}}, c.Panels[0].Rules)

	gaps := charts["itl-cdf"].Panels[0].Series[0].Points
	require.Equal(t, Point{X: 300, Y: 1}, gaps[len(gaps)-1], "milliseconds")
}

func TestCurveHasItsQuantilesExactly(t *testing.T) {
	var values []float64
	for i := range 5000 {
		values = append(values, float64(i+1))
	}
	points := curve(values, 5000)
	require.LessOrEqual(t, len(points), maxRanks+len(Quantiles))
	for _, want := range []Point{{X: 1, Y: 0.0002}, {X: 2500, Y: 0.5}, {X: 4500, Y: 0.9}, {X: 4950, Y: 0.99}, {X: 5000, Y: 1}} {
		require.Contains(t, points, want)
	}
	require.Equal(t, []Point{{X: 7, Y: 0.25}}, curve([]float64{7}, 4))
	require.Nil(t, curve(nil, 4))
}

// A curve pools a bounded number of cells.
func TestDistributionsReadABoundedNumberOfCells(t *testing.T) {
	r := &run{}
	for seed := range uint64(2 * maxCells) {
		r.add("fifo", 1, seed, served(0, 3, 3, 4))
	}
	read := map[results.Key]bool{}
	src := Source{Records: func(k results.Key) ([]results.Record, error) {
		read[k] = true
		return r.rows[k], nil
	}}
	charts, err := All(r.sweep(), src)
	require.NoError(t, err)
	require.Len(t, read, maxCells)
	for _, c := range charts {
		if c.Name == "e2e-cdf" {
			require.Contains(t, c.Facts, "the first 8 of 16 cells of a rung")
		}
	}
}

func TestHitsHaveTheirCeiling(t *testing.T) {
	r := &run{}
	var rows []results.Record
	for i := range int32(4) {
		q := served(i, 3+float64(i), 3+float64(i), 8)
		q.Group, q.SharedTokens, q.CachedTokens = results.Some[int32](0), results.Some[int32](80), results.Some[int32](0)
		if i > 1 { // the second came too early
			q.CachedTokens = results.Some[int32](80)
		}
		rows = append(rows, q)
	}
	r.add("fifo", 1, 1, served(0, 3, 3, 4))
	r.add("prefix", 1, 1, rows...)
	c := r.charts(t)["hits"]
	require.Equal(t, []Series{
		{Kind: Ceiling, Rung: "prefix", Look: 3, Name: "ceiling", Points: []Point{{X: 1, Y: 0.6, Requests: 4}}},
		{Kind: Line, Rung: "prefix", Look: 3, Name: "prefix hits", Points: []Point{{X: 1, Y: 0.4, Requests: 4}}},
	}, c.Panels[0].Series)
	require.Equal(t, "no rung has a prefix cache", small().charts(t)["hits"].Absent)
}

func TestDrift(t *testing.T) {
	r := small()
	require.Equal(t, "no cell has a probe of the machine's speed", r.charts(t)["probes"].Absent)
	for i, k := range r.keys {
		c := r.cells[k]
		c.ProbeBefore = results.Some(results.Probe{DecodeTokensPerS: 400 + float64(i), PrefillTokensPerS: 2000})
		if i > 0 {
			c.ProbeAfter = results.Some(results.Probe{DecodeTokensPerS: 300, PrefillTokensPerS: 1000})
		}
		r.cells[k] = c
	}
	c := r.charts(t)["probes"]
	require.Equal(t, "cell, in the order of the sweep", c.Panels[0].X.Label, "simulated cells have no date")
	require.Equal(t, []Point{
		{X: 0, Y: 400, Label: "cell 0, 1 rps, seed 1"},
		{X: 2, Y: 402, Label: "cell 2, 2 rps, seed 1"}, {X: 2.5, Y: 300, Label: "cell 2, 2 rps, seed 1"},
		{X: 4, Y: 404, Label: "cell 4, 1 rps, seed 2"}, {X: 4.5, Y: 300, Label: "cell 4, 1 rps, seed 2"},
		{X: 6, Y: 406, Label: "cell 6, 2 rps, seed 2"}, {X: 6.5, Y: 300, Label: "cell 6, 2 rps, seed 2"},
	}, c.Panels[0].Series[0].Points)

	for i, k := range r.keys {
		c := r.cells[k]
		c.StartedAt = time.Date(2026, 3, 1, 12, i, 0, 0, time.UTC)
		r.cells[k] = c
	}
	dated := r.charts(t)["probes"].Panels[0]
	require.Equal(t, "minutes since the first cell began", dated.X.Label)
	require.Equal(t, 2.0, dated.Series[0].Points[1].X)
	require.InDelta(t, 2.3, dated.Series[0].Points[2].X, 1e-9, "18 s later")
}

func TestChartsNameTheCellThatCannotBeRead(t *testing.T) {
	broken := errors.New("broken")
	_, err := All(small().sweep(), Source{Records: func(results.Key) ([]results.Record, error) { return nil, broken }})
	require.ErrorIs(t, err, broken)
	_, err = All(small().sweep(), Source{
		Records: small().source().Records,
		Steps:   func(results.Key) ([]results.StepRow, error) { return nil, broken },
	})
	require.ErrorIs(t, err, broken)
}
