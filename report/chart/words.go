package chart

import (
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/format"
)

// inWords says what a chart shows, for those who do not see it. Its facts are those of
// the chart alone.
func inWords(c chartdata.Chart) string {
	var b strings.Builder
	b.WriteString(strings.Join(append([]string{c.Title}, c.Facts...), "; ") + ".")
	for _, p := range c.Panels {
		if p.Title != "" && len(p.Series) > 0 && len(c.Panels) > 1 {
			b.WriteString(" " + p.Title + ".")
		}
		for _, l := range p.Series {
			if text := seriesInWords(l, p); text != "" {
				fmt.Fprintf(&b, " %s.", text)
			}
		}
		if p.Gantt != nil {
			fmt.Fprintf(&b, " %s: %s.", p.Gantt.Rung, ganttInWords(p.Gantt, p.X.Max))
		}
	}
	return b.String()
}

func seriesInWords(l chartdata.Series, p chartdata.Panel) string {
	switch l.Kind {
	case chartdata.Line, chartdata.Ceiling:
		name := l.Rung
		if l.Kind == chartdata.Ceiling {
			name += "'s ceiling"
		}
		var values []string
		for _, pt := range l.Points {
			value := valueInWords(pt, p.Y.Unit == chartdata.Share)
			values = append(values, fmt.Sprintf("%s at %s rps", value, format.Short(pt.X)))
		}
		return name + ": " + strings.Join(values, ", ")
	case chartdata.Steps:
		return l.Rung + ": " + strings.Join(quantilesInWords(l, p.X.Unit), ", ")
	case chartdata.Probes:
		if len(l.Points) == 0 {
			return ""
		}
		lo, hi := l.Points[0].Y, l.Points[0].Y
		for _, pt := range l.Points {
			lo, hi = min(lo, pt.Y), max(hi, pt.Y)
		}
		return fmt.Sprintf("%s, %s: %s to %s tok/s", l.Rung, l.Name, format.Sig3(lo), format.Sig3(hi))
	default:
		return fmt.Sprintf("%s: %d %s", l.Rung, len(l.Points), l.Name)
	}
}

func valueInWords(p chartdata.Point, share bool) string {
	y, suffix := p.Y, ""
	if share {
		y, suffix = 100*y, "%"
	}
	switch {
	case p.Invalid:
		return "invalid"
	case p.Bound:
		return ">" + format.Short(y) + suffix
	default:
		return format.Sig3(y) + suffix
	}
}

func quantilesInWords(l chartdata.Series, u chartdata.Unit) (values []string) {
	for _, q := range chartdata.Quantiles {
		if i := l.Quantile(q); i < len(l.Points) {
			values = append(values, fmt.Sprintf("%s%% within %s %s", format.Short(100*q), format.Sig3(l.Points[i].X), u))
		}
	}
	if last := l.Points[len(l.Points)-1]; last.Y < 1 {
		values = append(values, fmt.Sprintf("%s%% at most", format.Sig3(100*last.Y)))
	}
	return values
}

func ganttInWords(g *chartdata.Gantt, end float64) string {
	begun := map[int]bool{}
	for _, s := range g.Spans {
		if s.Kind != chartdata.Queued {
			begun[s.Row] = true
		}
	}
	refused := 0
	for _, m := range g.Marks {
		if m.Kind == chartdata.Refused {
			refused++
		}
	}
	text := fmt.Sprintf("%d of %d requests begun within %s s", len(begun), len(g.Requests), format.Short(end))
	if refused > 0 {
		text += fmt.Sprintf(", %d refused", refused)
	}
	return text
}
