package llamacpp

import (
	"math"
	"slices"
)

// Layout is how a context keeps keys and values, and attends to them.
type Layout struct {
	Unified bool // see Params.KVUnified
	Flash   FlashAttn
}

// String is such as "streams/flash on".
func (l Layout) String() string {
	name := "streams"
	if l.Unified {
		name = "unified"
	}
	return name + "/flash " + l.Flash.String()
}

// DefaultLayout is what ties go to: of the four the fastest for unique prompts with
// the 27M model on two threads; see docs/performance.md.
var DefaultLayout = Layout{Flash: FlashOn}

// Layouts returns every layout, in the order in which ties prefer them.
func Layouts() []Layout {
	return []Layout{DefaultLayout, {Flash: FlashOff}, {Unified: true, Flash: FlashOn}, {Unified: true, Flash: FlashOff}}
}

// LayoutRow is what one layout gave.
type LayoutRow struct {
	Layout
	Prompt     int     // tokens of each prompt
	PrefillTPS float64 // tokens per second of one prompt, beside the others of a full batch
	DecodeTPS  float64 // tokens per second of a full batch; 0 where it was given up before
	// GivenUp says why it was given up; empty when it was measured to the end.
	GivenUp string
}

// The request by which numbers of threads and layouts are compared: that of the
// predecessor's workload.
const (
	requestPrompt = 540
	requestOutput = 100
)

// requestSeconds is how long a request keeps an engine busy that works at these
// rates. A rate that was not measured makes it infinite.
func requestSeconds(prefillTPS, decodeTPS float64) float64 {
	return requestPrompt/prefillTPS + requestOutput/decodeTPS
}

// Seconds is how long a request of 540 prompt and 100 output tokens keeps a full
// engine busy; infinite for a layout that was given up early.
func (r LayoutRow) Seconds() float64 { return requestSeconds(r.PrefillTPS, r.DecodeTPS) }

// layoutTie is the difference that may be the machine's.
const layoutTie = 1.05

// ChooseLayout picks the layout in which a request costs least, and of those within
// 5% of it the first in the order of Layouts, whatever the order of the rows. Where
// none was measured to a decode step it is the first of them in that order; without
// rows it is DefaultLayout.
func ChooseLayout(rows []LayoutRow) Layout {
	best := math.Inf(1)
	for _, r := range rows {
		best = min(best, r.Seconds())
	}
	for _, l := range Layouts() {
		if slices.ContainsFunc(rows, func(r LayoutRow) bool { return r.Layout == l && r.Seconds() <= layoutTie*best }) {
			return l
		}
	}
	return DefaultLayout
}
