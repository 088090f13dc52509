// Package chartdata says what each chart of a run shows, apart from how it is
// drawn, which is the work of package chart.
//
// A Chart is a grid of panels, in reading order, Columns to a row. A Panel has two
// axes, whose ranges hold everything in it; under its data lie Shades and Rules, and
// on them the Series and, in the chart of requests over time, the Spans. All numbers
// are in the axis's unit and finite. What belongs to a rung has its name and its Look,
// by which the rung has the same colour and marker in every chart.
//
// All builds them from an analysis.Sweep, and from a Source, of which it reads the cells
// that charts show rows of, one at a time. Where a run has nothing for a chart to show,
// its Chart has no panels and says why in Absent.
package chartdata

import "github.com/cadence-bench/cadence-bench/results"

// Chart is what one chart shows.
type Chart struct {
	Name  string // of its files, without extension
	Title string
	// Facts are what its numbers rest on, beyond what is so for the whole run: the
	// rate and the seed, and why these.
	Facts   []string
	Columns int
	Panels  []Panel
	Summary string // what it shows in words, for those who do not see it
	OneSeed bool   // it shows cells of one seed, which Facts name
	Absent  string // why there is no such chart; else ""
}

// Panel is one pair of axes.
type Panel struct {
	Title  string
	X      Axis
	Y      Axis
	Shades []Shade
	Rules  []Rule
	Series []Series
	Gantt  *Gantt
}

// Unit is how an axis's numbers are to be read.
type Unit string

// The units of axes.
const (
	RPS        Unit = "rps"
	Seconds    Unit = "s"
	Millis     Unit = "ms"
	Share      Unit = "share" // 0 … 1
	TokensPerS Unit = "tok/s"
	Number     Unit = ""
)

// Axis is the range of one axis. A logarithmic one has 0 < Min.
type Axis struct {
	Label string
	Unit  Unit
	Log   bool
	Min   float64
	Max   float64
}

// Shade is a stretch of the x axis that is set apart.
type Shade struct {
	From float64
	To   float64
	Name string
}

// RuleKind says what a Rule marks.
type RuleKind string

// The kinds of rules. Those of the x axis stand upright.
const (
	SLO        RuleKind = "slo"        // the E2E objective, on the axis of latencies
	Timeout    RuleKind = "timeout"    // the client's, likewise
	Ideal      RuleKind = "ideal"      // the diagonal: every arrival is answered within the SLO
	Saturation RuleKind = "saturation" // the offered rate at which a rung's goodput peaks
)

// Rule is a reference line.
type Rule struct {
	Kind RuleKind
	// OnX says that At is on the x axis. An Ideal has no At.
	OnX  bool
	At   float64
	Name string
	// Rung and Look are of a Saturation, and so are Lo and Hi: the rates between which
	// the peak lies with 95% confidence.
	Lo   float64
	Hi   float64
	Rung string
	Look int
}

// SeriesKind says how points belong together.
type SeriesKind string

// The kinds of series.
const (
	Line    SeriesKind = "line"    // joined but for invalid points, each with a marker
	Ceiling SeriesKind = "ceiling" // joined, dashed, no markers: what the Line of its rung could reach
	Steps   SeriesKind = "steps"   // a distribution: Y holds from X until the next X, and to the end of the axis
	Dots    SeriesKind = "dots"    // alone
	Crosses SeriesKind = "crosses" // alone, each a lower bound: requests without an answer
	Ticks   SeriesKind = "ticks"   // alone, at the foot of the panel, Y without meaning: refused requests
	Probes  SeriesKind = "probes"  // in pairs: before and after the same cell
)

// Series is points of one rung.
type Series struct {
	Kind   SeriesKind
	Rung   string
	Look   int
	Name   string // what the points are, such as "p99 E2E"
	Points []Point
}

// Point is one value.
type Point struct {
	X float64
	Y float64
	// Band is the spread over seeds around Y, which is their mean; nil with one seed.
	Band    *Band
	Bound   bool // the truth is above Y
	Invalid bool // no cell of it passed its checks
	// Requests are those that Y rests on, over all seeds: of a Line.
	Requests int
	// Label says what else to know of the point, such as the cell of a probe.
	Label string
}

// Band is the range of a value over seeds.
type Band struct {
	Min   float64
	Max   float64
	Seeds int
}

// Gantt is requests over time: a row for each of Requests, from the top, the same in
// every panel of the chart.
type Gantt struct {
	Rung     string
	Look     int
	Requests []int32 // indices in the tape
	Spans    []Span  // by row, then by time
	Marks    []Mark
	// Steps are the engine's own in the panel's window, when they were traced.
	Steps []Step
}

// SpanKind says what a request does.
type SpanKind string

// The kinds of spans.
const (
	Queued  SpanKind = "queued"
	Prefill SpanKind = "prefill" // from the start of its first step to its first token
	Decode  SpanKind = "decode"  // from its first token to its last
)

// Span is a stretch of a request's life, cut to the panel's window.
type Span struct {
	Row  int
	From float64
	To   float64
	Kind SpanKind
}

// MarkKind says how a request ended without an answer.
type MarkKind string

// The kinds of marks.
const (
	Refused    MarkKind = "refused"
	Unanswered MarkKind = "unanswered"
)

// Mark is such an end.
type Mark struct {
	Row  int
	At   float64
	Kind MarkKind
}

// Step is one of the engine's: Prefill of its Rows were of prompts.
type Step struct {
	From    float64
	To      float64
	Rows    int32
	Prefill int32
}

// Source reads the files of cells.
type Source struct {
	Records func(results.Key) ([]results.Record, error)
	// Steps returns nil where no steps were traced. It may be nil.
	Steps func(results.Key) ([]results.StepRow, error)
}
