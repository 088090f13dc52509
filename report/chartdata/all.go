package chartdata

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/knees"
)

// All builds every chart of a sweep, in the order of a report, absent ones included.
func All(s *analysis.Sweep, src Source) ([]Chart, error) {
	b := newBuilder(s, src)
	overTime, err := b.overTime()
	if err != nil {
		return nil, err
	}
	e2e, itl, err := b.distributions()
	if err != nil {
		return nil, err
	}
	schedule, err := b.schedule()
	if err != nil {
		return nil, err
	}
	charts := []Chart{
		b.tail(), b.goodput(), overTime, b.median(), b.firstToken(), b.refusals(),
		e2e, itl, schedule, b.hits(), b.drift(),
	}
	for i := range charts {
		charts[i].round()
	}
	return charts, nil
}

// builder has what several charts need.
type builder struct {
	s     *analysis.Sweep
	src   Source
	looks map[string]int
	knees []Rule
	// unsaturated is a fact about the rungs that have no knee.
	unsaturated []string
}

func newBuilder(s *analysis.Sweep, src Source) *builder {
	b := &builder{s: s, src: src, looks: Looks(s.Rungs)}
	var rising []string
	for _, k := range knees.Of(s) {
		switch {
		case k.Peak == nil || k.Goodput.Mean == 0:
		case k.Peak.OfferedRPS == lastRate(s):
			rising = append(rising, k.Rung) // it may do better still beyond it
		default:
			b.knees = append(b.knees, Rule{
				Kind: Saturation, OnX: true, At: k.Peak.OfferedRPS, Lo: k.PeakLo, Hi: k.PeakHi,
				Name: "where its goodput peaks", Rung: k.Rung, Look: b.looks[k.Rung],
			})
		}
	}
	if len(rising) > 0 {
		b.unsaturated = []string{fmt.Sprintf("not saturated at the highest rate: %s", strings.Join(rising, ", "))}
	}
	return b
}

// digits are how many of a number a chart keeps: more than can be seen.
const digits = 6

// round shortens the numbers, of which some charts have thousands.
func (c *Chart) round() {
	for _, p := range c.Panels {
		for _, l := range p.Series {
			for i := range l.Points {
				round(&l.Points[i].X, &l.Points[i].Y)
			}
		}
		if p.Gantt == nil {
			continue
		}
		for i := range p.Gantt.Spans {
			round(&p.Gantt.Spans[i].From, &p.Gantt.Spans[i].To)
		}
		for i := range p.Gantt.Steps {
			round(&p.Gantt.Steps[i].From, &p.Gantt.Steps[i].To)
		}
	}
}

func round(values ...*float64) {
	for _, v := range values {
		*v, _ = strconv.ParseFloat(strconv.FormatFloat(*v, 'e', digits-1, 64), 64) // of its own making
	}
}
