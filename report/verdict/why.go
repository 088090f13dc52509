package verdict

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis/decided"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Why says for some cells what an engine decided otherwise than before, first, and which
// requests that moved.
type Why struct {
	Cells []WhyCell `json:"cells"`
	Notes []string  `json:"notes,omitempty"`
}

// WhyCell is that of one cell.
type WhyCell struct {
	Cell string `json:"cell"` // its name
	// Step is the first in which a decision differs; null if none does. Before and Now are
	// what was decided in it, and Requests those that they name.
	Step     *int64  `json:"step"`
	Before   string  `json:"before,omitempty"`
	Now      string  `json:"now,omitempty"`
	Requests []int32 `json:"requests,omitempty"`
	// Remarks are sentences about the cell.
	Remarks []string `json:"remarks,omitempty"`
	// Moved are the requests whose latency changed most, in words.
	Moved []string `json:"moved,omitempty"`
}

// WhyOf puts explanations into words.
func WhyOf(e decided.Explanations) Why {
	var w Why
	for i := range e.Cells {
		w.Cells = append(w.Cells, whyCell(&e.Cells[i]))
	}
	if e.More > 0 {
		w.Notes = append(w.Notes, fmt.Sprintf("%s more decided otherwise too.", format.Plural(e.More, "cell")))
	}
	if e.Alike > 0 {
		w.Notes = append(w.Notes, fmt.Sprintf("%s more decided as before, and only took another time.", format.Plural(e.Alike, "cell")))
	}
	for _, k := range e.Unknown {
		w.Notes = append(w.Notes, fmt.Sprintf("%s: its decisions are not kept on both sides, so there is nothing to compare.", k.Name()))
	}
	return w
}

func whyCell(x *decided.Explanation) WhyCell {
	c := WhyCell{Cell: x.Key.Name()}
	if x.Differs {
		d := &x.First
		c.Step, c.Requests = &d.Step, d.Requests
		c.Before, c.Now = d.Sides()
		switch {
		case d.Pool == nil:
		case d.Pool.Step == d.Step:
			c.Remarks = append(c.Remarks, "No decision differs, but the KV pool does from that step on.")
		default:
			c.Remarks = append(c.Remarks, fmt.Sprintf("The KV pool differed first, from step %d on: before, %s; now, %s.", d.Pool.Step, d.Pool.Before, d.Pool.Now))
		}
	} else {
		c.Remarks = append(c.Remarks, "Every decision is as before: what changed is how long steps took.")
	}
	c.Remarks = append(c.Remarks, fared(&x.Moved, x.SLOMS))
	for _, m := range x.Moved.Most {
		c.Moved = append(c.Moved, moved(m))
	}
	return c
}

// fared counts what became of requests, and names some.
func fared(m *decided.Movement, sloMS int64) string {
	parts := []string{fmt.Sprintf("%d of %s took another time", m.Moved, format.Plural(m.Compared, "request"))}
	for _, f := range []struct {
		what string
		ids  []int32
	}{
		{"no longer within the SLO of " + seconds(sloMS), m.NewlyLate}, {"within it now", m.NewlyInTime},
		{"refused now", m.NewlyRefused}, {"no longer refused", m.NewlyTaken},
	} {
		if len(f.ids) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", len(f.ids), f.what, some(f.ids)))
		}
	}
	return strings.Join(parts, "; ") + "."
}

// some names a few of ids.
func some(ids []int32) string {
	const few = 5
	var names []string
	for _, id := range ids[:min(few, len(ids))] {
		names = append(names, fmt.Sprint(id))
	}
	if len(ids) > few {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// moved is one request whose latency changed.
func moved(m decided.Move) string {
	sign, by := "+", m.MS()
	if by < 0 {
		sign, by = "−", -by
	}
	s := fmt.Sprintf("request %d: %s → %s (%s%s)", m.Request, seconds(m.Before.MS), seconds(m.Now.MS), sign, seconds(by))
	if m.Before.Fate != m.Now.Fate {
		s += fmt.Sprintf(", %s → %s", m.Before.Fate, m.Now.Fate)
	}
	return s
}

func seconds(ms int64) string { return fmt.Sprintf("%d.%03d s", ms/1000, ms%1000) }

// whyTitle heads an explanation.
const whyTitle = "Why: the first decision that differs from the baseline"

// Text writes it for a terminal, and nothing if there is nothing to say.
func (w Why) Text(out io.Writer) error {
	_, err := io.WriteString(out, w.text())
	return err
}

func (w Why) text() string {
	if len(w.Cells)+len(w.Notes) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintln(&b, whyTitle)
	for i := range w.Cells {
		c := &w.Cells[i]
		fmt.Fprintf(&b, "\n%s\n", c.heading())
		for _, line := range c.lines() {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	for i, note := range w.Notes {
		if i == 0 && len(w.Cells) > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintln(&b, note)
	}
	return b.String()
}

// Markdown renders it for GitHub; it is "" if there is nothing to say.
func (w Why) Markdown() string {
	if len(w.Cells)+len(w.Notes) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", whyTitle)
	for i := range w.Cells {
		c := &w.Cells[i]
		fmt.Fprintf(&b, "- **%s**\n", table.Escape(c.heading()))
		for _, line := range c.lines() {
			fmt.Fprintf(&b, "  - %s\n", table.Escape(line))
		}
	}
	for _, note := range w.Notes {
		fmt.Fprintf(&b, "- %s\n", table.Escape(note))
	}
	return b.String()
}

func (c *WhyCell) heading() string {
	s := c.Cell
	if c.Step != nil {
		s += fmt.Sprintf(", step %d", *c.Step)
	}
	if len(c.Requests) > 0 {
		what := "request"
		if len(c.Requests) > 1 {
			what += "s"
		}
		s += fmt.Sprintf(", %s %s", what, some(c.Requests))
	}
	return s
}

func (c *WhyCell) lines() (lines []string) {
	if c.Step != nil {
		lines = append(lines, "before: "+c.Before, "now: "+c.Now)
	}
	return slices.Concat(lines, c.Remarks, c.Moved)
}
