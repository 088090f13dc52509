package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// thin marks a row with a cell of too few requests for a p99.
const thin = "†"

// drift marks a row with a cell during which the machine changed its speed.
const drift = "‡"

// beyond marks a row with simulated steps beyond those that the cost model was
// fitted on.
const beyond = "§"

// disturbed marks a row with a cell during which something else was at work, and slow one
// with a cell before which the machine was slower than at other times.
const disturbed, slow = "‖", "¶"

const (
	seedsNote   = "Mean over seeds (min–max over seeds). Requests are totals."
	unequalNote = "Rungs differ in requests though they were offered the same tape: a conversation's next turn is due a think time after its last answer, " +
		"so a slower rung has fewer turns in the steady window. Compare latencies and attainment with that in mind."
	replicateNote  = "Some tapes were measured more than once. The replicates of a seed are averaged first, since they are not independent seeds; requests are totals over replicates too."
	definitionNote = "Latencies start at the intended arrival; quantiles are order statistics (nearest rank). " +
		"“>” is a lower bound: a request without an answer counts as slower than every answered one. " +
		"Goodput and attainment count every arrival of the steady window, refused ones included. “" + table.Null + "”: not measured."
)

// thinNote says what a p99 takes.
func thinNote() string {
	return fmt.Sprintf("%s a cell has fewer than %d admitted requests, the least that bound a p99 from above with 95%% confidence; below 100 it is merely the largest value. What all seeds together support: the table “tails” of the full report.",
		thin, stats.Need(0.99))
}

// Summary is the main table: one row per rung and offered rate, means over
// seeds, with min–max where there are several.
func Summary(s *analysis.Sweep, f caption.Facts) table.Table {
	points := column.PointsOf(s)
	notes := &footnotes{}
	valid := validities(points, notes)
	anyThin := false
	for _, p := range points {
		anyThin = anyThin || p.Range(analysis.E2EP99).Thin
	}
	columns := column.Points(func(p *analysis.Point) string { return valid[p] })
	columns[len(columns)-1] = column.Requests().Marked(func(p *analysis.Point) string {
		if p.Range(analysis.E2EP99).Thin {
			return thin
		}
		return ""
	})
	columns = append(columns, column.Outcomes()...)
	columns = append(columns, column.Metrics(points, analysis.Achieved, analysis.Throughput)...)
	columns = append(columns, column.Metric(points, analysis.Goodput, true))
	columns = append(columns, column.Metrics(points, analysis.Tokens, analysis.CompletedTokens, analysis.Attainment, analysis.Admitted, analysis.HitRate)...)
	for _, m := range []analysis.Metric{analysis.TTFTP50, analysis.TTFTP99, analysis.ITLP50, analysis.ITLP99, analysis.TPOTP50, analysis.TPOTP99, analysis.E2EP50, analysis.E2EP99, analysis.LagP99} {
		columns = append(columns, column.Metric(points, m, true))
	}
	columns = append(columns,
		table.Value("p99_is_unbounded", "", "a cell has too few requests to bound a p99 from above", func(p *analysis.Point) any { return p.Range(analysis.E2EP99).Thin }),
		column.Metric(points, analysis.Violations, false).ForReaders(), column.Total(analysis.Dropped).ForReaders(), column.Total(analysis.Aborted).ForReaders())

	shown := append(column.PointKeys(f), "arrivals", "goodput_rps", "attainment")
	if column.Occurs(points, analysis.Shed) {
		shown = append(shown, "attainment_admitted", "shed")
	}
	shown = append(shown, column.Occurring(points, analysis.Violations, analysis.Dropped, analysis.Aborted)...)
	shown = append(shown, "ttft_p50_s", "itl_p99_s", "e2e_p50_s", "e2e_p99_s", "valid_cells")
	t := table.New(f.Title("Every rung at every offered rate"), f.Caption(), points, columns...).Shown(shown...)
	t.Notes = []string{definitionNote}
	if f.Seeds > 1 {
		t.Notes = append(t.Notes, seedsNote)
	}
	if replicated(points) {
		t.Notes = append(t.Notes, replicateNote)
	}
	if unequal(s) {
		t.Notes = append(t.Notes, unequalNote)
	}
	if anyThin {
		t.Notes = append(t.Notes, thinNote())
	}
	t.Notes = append(t.Notes, notes.all()...)
	return t
}

// Brief is the summary in the columns that a terminal has room for.
func Brief(summary table.Table) table.Table {
	t := summary.Shown("rung", "offered_rps", "arrivals", "goodput_rps", "attainment", "shed", "ttft_p50_s", "itl_p99_s", "e2e_p50_s", "e2e_p99_s", "valid_cells")
	t.Notes = slices.Clone(t.Notes[1:]) // without the definitions
	return t
}

// validities says of each point whether its cells are valid.
func validities(points []*analysis.Point, notes *footnotes) map[*analysis.Point]string {
	valid := map[*analysis.Point]string{}
	for _, p := range points {
		valid[p] = validity(p, notes)
	}
	return valid
}

// validity says whether a point's cells are valid, with a footnote for every
// reason and every warning that has no mark of its own.
func validity(p *analysis.Point, notes *footnotes) string {
	good, marks := p.ValidCells(), ""
	for _, c := range p.Cells {
		where := func(w analysis.Warning) string {
			rung := c.Cell.Rung
			if w.IsOfTape() {
				rung = "every rung"
			}
			return fmt.Sprintf("%s at %s rps, %s", rung, format.Short(c.Cell.OfferedRPS), caption.Seed(c.Cell.Key))
		}
		for _, w := range c.Invalid {
			marks += notes.mark(fmt.Sprintf("%s is INVALID: %s.", where(w), w.Text))
		}
		for _, w := range c.Warnings {
			switch w.Code {
			case analysis.CodeThinP99: // has its own mark
			case analysis.CodeMixed: // one note for all that are mixed alike
				marks += notes.mark(format.Capital(w.Text) + ".")
			case analysis.CodeExtrapolated:
				marks = strings.ReplaceAll(marks, beyond, "") + beyond
				notes.beyond = append(notes.beyond, c.Cell.Extrapolated.V)
			case checks.CodeDisturbed:
				marks = strings.ReplaceAll(marks, disturbed, "") + disturbed
				notes.disturbed = append(notes.disturbed, where(w)+": "+w.Text)
			case analysis.CodeSlow:
				marks = strings.ReplaceAll(marks, slow, "") + slow
				notes.slow = append(notes.slow, where(w)+": "+w.Text)
			case checks.CodeProbeDrift:
				marks += drift
				change, _ := checks.ProbeDrift(c.Cell)
				notes.drifts = append(notes.drifts, change)
			default:
				marks += notes.mark(fmt.Sprintf("%s: %s.", where(w), w.Text))
			}
		}
	}
	switch {
	case good == len(p.Cells):
		return "yes" + marks
	case good == 0:
		return "INVALID" + marks
	default:
		return fmt.Sprintf("%d of %d", good, len(p.Cells)) + marks
	}
}

// mixedNote counts the cells that are not of a piece with the run; "" when there is none.
func mixedNote(s *analysis.Sweep) string {
	n := 0
	for _, c := range s.Cells {
		if len(c.Cell.Mixed) > 0 {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("MIXED: %d of %d cells were measured after the run was gone on with although something had changed; the table of every rung and rate says what.", n, len(s.Cells))
}

// footnotes numbers notes in the order in which they are first referred to.
type footnotes struct {
	lines  []string
	drifts []float64 // of the cells with the drift mark
	beyond []float64 // shares of the cells with that mark
	// What is said of the cells with these marks.
	disturbed, slow []string
}

// all returns the notes: one for all drifts, one for all that was extrapolated, then
// the numbered ones.
func (f *footnotes) all() []string {
	var notes []string
	if len(f.drifts) > 0 {
		notes = append(notes, fmt.Sprintf(
			"%s the machine changed its speed during the cell: the probes before and after it decode at rates that differ by more than 10%% (%d cell(s), %+.0f%% to %+.0f%%).",
			drift, len(f.drifts), 100*slices.Min(f.drifts), 100*slices.Max(f.drifts)))
	}
	if len(f.beyond) > 0 {
		notes = append(notes, fmt.Sprintf(
			"%s extrapolated: the cell has simulated steps larger than those which the cost model was fitted on (%d cell(s), up to %s%% of the steps).",
			beyond, len(f.beyond), format.Sig3(100*slices.Max(f.beyond))))
	}
	for _, it := range []struct {
		mark, what string
		said       []string
	}{{disturbed, "something else was at work on the machine", f.disturbed}, {slow, "the machine was slower than at other times", f.slow}} {
		if n := len(it.said); n > 0 {
			notes = append(notes, fmt.Sprintf("%s %s (%s), such as %s.", it.mark, it.what, format.Plural(n, "cell"), it.said[0]))
		}
	}
	return append(notes, f.lines...)
}

// mark returns the mark of a note, which two cells may share.
func (f *footnotes) mark(text string) string {
	for i, line := range f.lines {
		if m := format.Superscript(i + 1); line == m+" "+text {
			return m
		}
	}
	m := format.Superscript(len(f.lines) + 1)
	f.lines = append(f.lines, m+" "+text)
	return m
}

// unequal says whether valid cells of one rate and seed have different numbers of
// requests in their windows, as only turns of conversations can.
func unequal(s *analysis.Sweep) bool {
	type offer struct {
		rps  float64
		seed uint64
	}
	counts := map[offer]int{}
	for i := range s.Cells {
		c := &s.Cells[i]
		at := offer{c.Cell.OfferedRPS, c.Cell.Seed}
		if n, seen := counts[at]; c.Valid() && seen && n != c.Arrivals {
			return true
		}
		if c.Valid() {
			counts[at] = c.Arrivals
		}
	}
	return false
}

// replicated says whether a seed was measured more than once somewhere.
func replicated(points []*analysis.Point) bool {
	return slices.ContainsFunc(points, func(p *analysis.Point) bool { return p.Seeds() < len(p.Cells) })
}
