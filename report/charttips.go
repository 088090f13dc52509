package report

import (
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/report/chartdata"
)

// pointTip says what a point shows: what it is, and below that its value, its range
// and what it rests on.
func pointTip(d chartdata.Panel, l chartdata.Series, p chartdata.Point) string {
	x, y := unitScale(d.X.Unit), unitScale(d.Y.Unit)
	switch l.Kind {
	case chartdata.Steps:
		return fmt.Sprintf("%s: %s\n%s of them within %s", l.Rung, l.Name, y.value(p.Y, false), x.value(p.X, false))
	case chartdata.Dots:
		return fmt.Sprintf("%s: arrival at %s\nanswered after %s", l.Rung, x.value(p.X, false), y.value(p.Y, false))
	case chartdata.Crosses:
		return fmt.Sprintf("%s: arrival at %s\nno answer within %s", l.Rung, x.value(p.X, false), y.value(p.Y, false))
	case chartdata.Ticks:
		return fmt.Sprintf("%s: arrival at %s\nrefused", l.Rung, x.value(p.X, false))
	case chartdata.Probes:
		return fmt.Sprintf("%s\n%s at %s", p.Label, l.Name, y.value(p.Y, false))
	}
	lines := []string{
		fmt.Sprintf("%s at %s", l.Rung, x.value(p.X, false)),
		fmt.Sprintf("%s %s", l.Name, y.value(p.Y, p.Bound)),
	}
	if b := p.Band; b != nil {
		lines = append(lines, fmt.Sprintf("%s to %s over %d seeds", y.value(b.Min, false), y.value(b.Max, p.Bound), b.Seeds))
	}
	if p.Requests > 0 {
		lines = append(lines, plural(p.Requests, "request"))
	}
	if p.Bound {
		lines = append(lines, "a lower bound: requests went unanswered")
	}
	if p.Invalid {
		lines = append(lines, "INVALID: no cell passed its checks")
	}
	return strings.Join(lines, "\n")
}

// kneeTip says where a rung saturates.
func kneeTip(k chartdata.Rule) string {
	text := fmt.Sprintf("%s saturates\nits goodput peaks at %s rps", k.Rung, short(k.At))
	if k.Hi > k.Lo {
		text += fmt.Sprintf("\n(%s to %s rps with 95%% confidence)", short(k.Lo), short(k.Hi))
	}
	return text
}

// requestTip says what a request of the schedule does in its window.
func requestTip(g *chartdata.Gantt, row int) string {
	lines := []string{fmt.Sprintf("%s: request %d", g.Rung, g.Requests[row])}
	for _, s := range g.Spans {
		if s.Row == row {
			lines = append(lines, fmt.Sprintf("%s %s to %s s", s.Kind, short(s.From), short(s.To)))
		}
	}
	for _, m := range g.Marks {
		if m.Row == row {
			lines = append(lines, fmt.Sprintf("%s at %s s", m.Kind, short(m.At)))
		}
	}
	return strings.Join(lines, "\n")
}

// unitScale is how a number of an axis reads by itself.
func unitScale(u chartdata.Unit) unitReading {
	if u == chartdata.Share {
		return unitReading{scale{factor: 100, suffix: "%"}, ""}
	}
	if u == chartdata.Number {
		return unitReading{scale{factor: 1}, ""}
	}
	return unitReading{scale{factor: 1}, " " + string(u)}
}

type unitReading struct {
	scale
	unit string
}

func (r unitReading) value(v float64, bound bool) string {
	if bound {
		return r.bounded(v, true) + r.unit
	}
	return short(v*r.factor) + r.suffix + r.unit
}
