package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

func figures(t *testing.T, s *analysis.Sweep, load Load) []Figure {
	f := FactsOf(s, "cadence-30m")
	timeline, ok, err := TimelineChart(s, f, load)
	require.NoError(t, err)
	require.True(t, ok)
	return []Figure{TailChart(s, f), GoodputChart(s, f), timeline}
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
	fix := ladder()
	once, twice := figures(t, fix.sweep(), fix.load), figures(t, fix.sweep(), fix.load)
	for i := range once {
		a, err := once[i].SVG()
		require.NoError(t, err)
		b, err := twice[i].SVG()
		require.NoError(t, err)
		require.True(t, bytes.Equal(a, b), once[i].Name)
		wellFormed(t, a)

		a, err = once[i].PNG()
		require.NoError(t, err)
		b, err = twice[i].PNG()
		require.NoError(t, err)
		require.True(t, bytes.Equal(a, b), once[i].Name)
		img, err := png.Decode(bytes.NewReader(a))
		require.NoError(t, err)
		require.Equal(t, 1600, img.Bounds().Dx())
	}
}

func TestTimelineSaysWhichRateAndWhy(t *testing.T) {
	fix := fiveRungs()
	fig := figures(t, seededSweep(), fix.load)[2]
	require.Equal(t, "End-to-end latency over arrival time at 4.5 rps", fig.Title)
	require.Contains(t, fig.facts, "the highest rate at which prefix still answers 90% of arrivals within the SLO")
	require.Contains(t, fig.facts, "seed 1")

	broken := errors.New("unreadable")
	_, _, err := TimelineChart(seededSweep(), Facts{}, func(results.Key) ([]results.Record, error) { return nil, broken })
	require.ErrorIs(t, err, broken)
}

// What a chart shows is also said, for those who do not see it.
func TestChartsHaveWords(t *testing.T) {
	fig := TailChart(marked(t), Facts{})
	require.Contains(t, fig.Alt, "fifo: 5.18 at 0.5 rps")
	require.Contains(t, fig.Alt, ">30 at 4 rps")
}

// Charts of sweeps that are too small for one must still draw.
func TestChartsOfLittle(t *testing.T) {
	fix := ladder()
	fix.rates = []float64{0.5}
	small := fix.sweep()
	allShed := fix
	allShed.rungs = []serving{{name: "all shed", batch: 1, shedAbove: -1}}
	nothing := analysis.NewSweep([]analysis.CellMetrics{analysis.Measure(fix.cell(results.Key{Rung: "empty", OfferedRPS: 1}, 0), nil, analysis.Options{})}, nil)
	for _, s := range []*analysis.Sweep{small, allShed.sweep(), nothing} {
		f := FactsOf(s, "")
		for _, fig := range []Figure{TailChart(s, f), GoodputChart(s, f)} {
			svg, err := fig.SVG()
			require.NoError(t, err)
			wellFormed(t, svg)
		}
	}
	_, ok, err := TimelineChart(nothing, Facts{}, fix.load)
	require.NoError(t, err)
	require.False(t, ok)
}

// The HTML page's dark mode maps colours by value: one that it does not know would
// stay dark on dark.
func TestDarkModeKnowsEveryNeutralColour(t *testing.T) {
	known := map[string]bool{}
	for _, c := range palette {
		known[hex(c)] = true
	}
	for _, m := range hexColour.FindAllStringSubmatch(pageCSS, -1) {
		known[m[1]] = true
	}
	fix := fiveRungs()
	for _, fig := range figures(t, seededSweep(), fix.load) {
		svg, err := fig.SVG()
		require.NoError(t, err)
		uses := hexColour.FindAllSubmatch(svg, -1)
		require.NotEmpty(t, uses)
		for _, m := range uses {
			translucent := len(m[2]) > 0 // of the palette, and rounded
			require.True(t, translucent || known[string(m[1])], "%s: %s", fig.Name, m[0])
		}
	}
}

var hexColour = regexp.MustCompile(`(?:fill|stroke):(#[0-9A-F]{6})(;[a-z]+-opacity)?`)

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
