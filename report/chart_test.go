package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/results"
)

func figures(t *testing.T, s *analysis.Sweep, fix fixture) []Figure {
	all, _, err := Charts(s, FactsOf(s, "cadence-30m"), fix.source())
	require.NoError(t, err)
	return all
}

// allCharts are those of fiveRungs, which take a while.
var allCharts = sync.OnceValue(func() []Figure {
	all, _, err := Charts(seededSweep(), FactsOf(seededSweep(), "cadence-30m"), fiveRungs().source())
	if err != nil {
		panic(err)
	}
	return all
})

// named returns the chart of a name.
func named(t *testing.T, all []Figure, name string) Figure {
	for _, f := range all {
		if f.Name == name {
			return f
		}
	}
	require.Fail(t, "no chart "+name)
	return Figure{}
}

func wellFormed(t *testing.T, doc []byte) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

func TestChartsAreTheSameBytesTwice(t *testing.T) {
	once, twice := allCharts(), figures(t, seededSweep(), fiveRungs())
	require.Len(t, once, 11, "none is absent")
	for i := range once {
		a, err := once[i].SVG()
		require.NoError(t, err)
		b, err := twice[i].SVG()
		require.NoError(t, err)
		require.True(t, bytes.Equal(a, b), once[i].Name)
		wellFormed(t, a)
	}
	once, twice = once[:3], twice[:3]
	for i := range once {
		a, err := once[i].PNG()
		require.NoError(t, err)
		b, err := twice[i].PNG()
		require.NoError(t, err)
		require.True(t, bytes.Equal(a, b), once[i].Name)
		img, err := png.Decode(bytes.NewReader(a))
		require.NoError(t, err)
		require.Equal(t, 1600, img.Bounds().Dx())
	}
}

// However long the names, nothing of the header is cut off, and the panels begin below it.
func TestHeadersFitTheFigure(t *testing.T) {
	fix := ladder()
	for i := range fix.rungs {
		fix.rungs[i].name += " with a rather long name of its own"
	}
	fix.backend = "twin"
	for _, fig := range figures(t, fix.sweep(), fix) {
		for _, l := range fig.header() {
			require.LessOrEqual(t, l.style.Width(l.text), fig.Width-2*margin, l.text)
		}
		name := textStyle(bodySize, ink, 0, 0)
		for _, p := range fig.keyPlaces() {
			require.LessOrEqual(t, p.x+sampleWidth+keyGap+name.Width(p.name), fig.Width-2*margin, p.name)
			require.Less(t, p.y, fig.headerHeight())
		}
		require.Greater(t, fig.Height-fig.headerHeight(), vg.Length(150))
	}
}

// A strip of steps draws each that can be told from the next, and merges the others.
func TestStripOfSteps(t *testing.T) {
	g := &chartdata.Gantt{Rung: "fifo", Requests: []int32{0}, Spans: []chartdata.Span{{Row: 0, From: 0, To: 1, Kind: chartdata.Decode}}}
	chart := chartdata.Chart{Name: "schedule", Columns: 1, Panels: []chartdata.Panel{{X: chartdata.Axis{Max: 10}, Y: chartdata.Axis{Max: 1}, Gantt: g}}}
	boxes := func(steps ...chartdata.Step) int {
		g.Steps = steps
		fig := figureOf(chart, Facts{})
		svg, err := fig.SVG()
		require.NoError(t, err)
		wellFormed(t, svg)
		return bytes.Count(svg, []byte("fill:"+hexOf(muted)+"\"")) + bytes.Count(svg, []byte("fill:"+hexOf(faint)+"\""))
	}
	without := boxes()
	one := boxes(chartdata.Step{From: 0, To: 1, Rows: 1}) - without
	require.Equal(t, one+1, boxes(chartdata.Step{From: 0, To: 1, Rows: 1}, chartdata.Step{From: 1, To: 2, Rows: 1})-without)
	var short []chartdata.Step
	for i := range 100 {
		short = append(short, chartdata.Step{From: float64(i) / 1000, To: float64(i+1) / 1000, Rows: 1})
	}
	require.Equal(t, one, boxes(short...)-without)
}

func TestNoTwoLooksAreTheSame(t *testing.T) {
	seen := map[string]int{}
	for look := range 2 * len(palette) {
		s := seriesOf(look)
		name := fmt.Sprint(s.color, s.marker, s.dashes)
		require.NotContains(t, seen, name)
		seen[name] = look
	}
	require.Equal(t, len(palette), len(markers), "a colour and its marker stay together")
}

func TestTimelineSaysWhichRateAndWhy(t *testing.T) {
	fig := named(t, allCharts(), "e2e-over-time")
	require.Equal(t, "End-to-end latency over arrival time at 4.5 rps", fig.Title)
	require.Contains(t, fig.facts, "the highest rate at which prefix still answers 90% of arrivals within the SLO")
	require.Contains(t, fig.facts, "seed 1")
	require.Equal(t, fig.Data.Facts, fig.facts, "the page has the same facts")
}

func TestChartsFailWhenACellCannotBeRead(t *testing.T) {
	broken := errors.New("unreadable")
	_, _, err := Charts(seededSweep(), Facts{}, chartdata.Source{Records: func(results.Key) ([]results.Record, error) { return nil, broken }})
	require.ErrorIs(t, err, broken)
}

// What a chart shows is also said, for those who do not see it.
func TestChartsHaveWords(t *testing.T) {
	fig := named(t, figures(t, marked(t), ladder()), "e2e-p99")
	require.Contains(t, fig.Alt, "fifo: 5.18 at 0.5 rps")
	require.Contains(t, fig.Alt, ">30 at 4 rps")
	for _, fig := range allCharts() {
		for _, rung := range []string{"fifo", "conformal-95"} {
			if fig.Name != "hits" {
				require.Regexp(t, rung+"(, [a-z]+)?: ", fig.Alt, fig.Name)
			}
		}
	}
}

// Charts of sweeps that are too small for one must still draw.
func TestChartsOfLittle(t *testing.T) {
	fix := ladder()
	fix.rates = []float64{0.5}
	allShed := fix
	allShed.rungs = []serving{{name: "all shed", batch: 1, shedAbove: -1}}
	allLate := fix
	allLate.rungs, allLate.rates = []serving{{name: "stuck", batch: 1, shedAbove: 0}}, []float64{400}
	allLate.duration = 16 * time.Second
	nothing := analysis.NewSweep([]analysis.CellMetrics{analysis.Measure(fix.cell(results.Key{Rung: "empty", OfferedRPS: 1}, 0), nil, analysis.Options{})}, nil)
	for _, c := range []struct {
		sweep *analysis.Sweep
		fix   fixture
	}{{fix.sweep(), fix}, {allShed.sweep(), allShed}, {allLate.sweep(), allLate}, {nothing, fix}, {analysis.NewSweep(nil, nil), fix}} {
		for _, fig := range figures(t, c.sweep, c.fix) {
			svg, err := fig.SVG()
			require.NoError(t, err)
			wellFormed(t, svg)
			require.NotRegexp(t, `NaN|Inf`, string(svg), fig.Name)
			data, err := json.Marshal(fig.Data)
			require.NoError(t, err, "every number is finite")
			require.NotEmpty(t, data)
		}
	}
	_, absent, err := Charts(nothing, Facts{}, fix.source())
	require.NoError(t, err)
	require.Contains(t, absent, "There is no chart “End-to-end latency over arrival time”: the rungs share no offered rate at which each has a valid cell.")
	require.Contains(t, absent, "There is no chart “Goodput and refused arrivals against offered rate”: no rung refused a request.")
}
