package chart

import (
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/format"
)

// pointTip says what a point shows: what it is, and below that its value, its range
// and what it rests on.
func pointTip(d chartdata.Panel, l chartdata.Series, p chartdata.Point) string {
	x, y := readingOf(d.X.Unit), readingOf(d.Y.Unit)
	switch l.Kind {
	case chartdata.Steps:
		return fmt.Sprintf("%s: %s\n%s of them within %s", l.Rung, l.Name, y.text(p.Y), x.text(p.X))
	case chartdata.Dots:
		return fmt.Sprintf("%s: arrival at %s\nanswered after %s", l.Rung, x.text(p.X), y.text(p.Y))
	case chartdata.Crosses:
		return fmt.Sprintf("%s: arrival at %s\nno answer within %s", l.Rung, x.text(p.X), y.text(p.Y))
	case chartdata.Ticks:
		return fmt.Sprintf("%s: arrival at %s\nrefused", l.Rung, x.text(p.X))
	case chartdata.Probes:
		return fmt.Sprintf("%s\n%s at %s", p.Label, l.Name, y.text(p.Y))
	}
	lines := []string{
		fmt.Sprintf("%s at %s", l.Rung, x.text(p.X)),
		fmt.Sprintf("%s %s", l.Name, y.bounded(p.Y, p.Bound)),
	}
	if b := p.Band; b != nil {
		lines = append(lines, fmt.Sprintf("%s to %s over %d seeds", y.text(b.Min), y.bounded(b.Max, p.Bound), b.Seeds))
	}
	if p.Requests > 0 {
		lines = append(lines, requests(p.Requests))
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
	text := fmt.Sprintf("%s saturates\nits goodput peaks at %s rps", k.Rung, format.Short(k.At))
	if k.Hi > k.Lo {
		text += fmt.Sprintf("\n(%s to %s rps with 95%% confidence)", format.Short(k.Lo), format.Short(k.Hi))
	}
	return text
}

// requestTip says what a request of the schedule does in its window.
func requestTip(g *chartdata.Gantt, row int) string {
	lines := []string{fmt.Sprintf("%s: request %d", g.Rung, g.Requests[row])}
	for _, s := range g.Spans {
		if s.Row == row {
			lines = append(lines, fmt.Sprintf("%s %s to %s s", s.Kind, format.Short(s.From), format.Short(s.To)))
		}
	}
	for _, m := range g.Marks {
		if m.Row == row {
			lines = append(lines, fmt.Sprintf("%s at %s s", m.Kind, format.Short(m.At)))
		}
	}
	return strings.Join(lines, "\n")
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

// reading is how a number of an axis reads by itself.
type reading struct {
	factor float64
	suffix string
}

func readingOf(u chartdata.Unit) reading {
	switch u {
	case chartdata.Share:
		return reading{100, "%"}
	case chartdata.Number:
		return reading{1, ""}
	default:
		return reading{1, " " + string(u)}
	}
}

func (r reading) text(v float64) string { return format.Short(v*r.factor) + r.suffix }

// bounded is text with a mark where the truth is above v.
func (r reading) bounded(v float64, bound bool) string {
	if bound {
		return ">" + r.text(v)
	}
	return r.text(v)
}
