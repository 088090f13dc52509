package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/chart"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/results"
)

func figures(t *testing.T, s *analysis.Sweep, fix fixture) []chart.Figure {
	all, _, err := charts(s, caption.Of(s, "cadence-30m"), fix.source())
	require.NoError(t, err)
	return all
}

// allCharts are those of fiveRungs, which take a while.
var allCharts = sync.OnceValue(func() []chart.Figure {
	all, _, err := charts(seededSweep(), caption.Of(seededSweep(), "cadence-30m"), fiveRungs().source())
	if err != nil {
		panic(err)
	}
	return all
})

// named returns the chart of a name.
func named(t *testing.T, all []chart.Figure, name string) chart.Figure {
	for _, f := range all {
		if f.Name == name {
			return f
		}
	}
	require.Fail(t, "no chart "+name)
	return chart.Figure{}
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

func TestTimelineSaysWhichRateAndWhy(t *testing.T) {
	fig := named(t, allCharts(), "e2e-over-time")
	require.Equal(t, "End-to-end latency over arrival time at 4.5 rps", fig.Title)
	require.Contains(t, fig.Facts, "the highest rate at which prefix still answers 90% of arrivals within the SLO")
	require.Contains(t, fig.Facts, "seed 1")
	require.Contains(t, fig.Inline().Facts, strings.Join(fig.Facts, " · "), "the page has the same facts")
}

func TestChartsFailWhenACellCannotBeRead(t *testing.T) {
	broken := errors.New("unreadable")
	_, _, err := charts(seededSweep(), caption.Facts{}, chartdata.Source{Records: func(results.Key) ([]results.Record, error) { return nil, broken }})
	require.ErrorIs(t, err, broken)
}

// What a chart shows is also said, for those who do not see it.
func TestChartsHaveWords(t *testing.T) {
	fig := named(t, figures(t, marked(t), ladder()), "e2e-p99")
	require.Contains(t, fig.Summary, "fifo: 5.18 at 0.5 rps")
	require.Contains(t, fig.Summary, ">30 at 4 rps")
	for _, fig := range allCharts() {
		for _, rung := range []string{"fifo", "conformal-95"} {
			if fig.Name != "hits" {
				require.Regexp(t, rung+"(, [a-z]+)?: ", fig.Summary, fig.Name)
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
			data, err := json.Marshal(fig.Chart)
			require.NoError(t, err, "every number is finite")
			require.NotEmpty(t, data)
		}
	}
	_, absent, err := charts(nothing, caption.Facts{}, fix.source())
	require.NoError(t, err)
	require.Contains(t, absent, "There is no chart “End-to-end latency over arrival time”: the rungs share no offered rate at which each has a valid cell.")
	require.Contains(t, absent, "There is no chart “Goodput and refused arrivals against offered rate”: no rung refused a request.")
}
