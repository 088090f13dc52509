// Package experiment tells what a paired experiment of two programs on the real engine
// says: the verdict of a gate, or the proof of the gate's error rates.
package experiment

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/analysis/paired"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/ab"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// unmeasured stands for what is not known.
const unmeasured = "–"

// Report is what an experiment says.
type Report struct {
	run  *ab.Run
	arms []judged
}

// judged is one arm against the first.
type judged struct {
	ab.Arm
	brought          bool // to the slowdown that was planted, over all pairs
	paired.Judgement      // of all whole blocks
	tallies          []tally
	figures          []figure
}

// tally is the pairs of an arm cut into gates of so many.
type tally struct {
	pairs int
	paired.Tally
}

// gateSizes are the sizes of gates that a proof's pairs are cut into: what was asked for
// and, of the same pairs, the smallest there can be and twice as large ones.
func gateSizes(e *ab.Experiment) []int {
	sizes := []int{e.Rule.MinPairs(), e.Gate, 2 * e.Gate}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	return slices.DeleteFunc(sizes, func(k int) bool { return k > e.Blocks })
}

// figure is a figure that is reported and not judged.
type figure struct {
	name   string
	change paired.Interval // shares
	n      int
}

// figures are those beside the time of the work.
var figures = []struct {
	name string
	of   func(ab.Segment) float64
}{
	{"median TTFT", func(s ab.Segment) float64 { return s.TTFTP50S }},
	{"median E2E", func(s ab.Segment) float64 { return s.E2EP50S }},
	{"CPU time", func(s ab.Segment) float64 { return s.CPUS }},
	{"probe: time of a decoded token", func(s ab.Segment) float64 { return 1 / s.ProbeDecode }},
	{"rows through the model", func(s ab.Segment) float64 { return float64(s.Rows) }},
	{"steps", func(s ab.Segment) float64 { return float64(s.Steps) }},
}

func Of(run *ab.Run) Report {
	r := Report{run: run}
	for _, arm := range run.Arms[1:] {
		pairs := run.Pairs(run.Blocks, arm.Name)
		a := r.judge(arm, pairs)
		for _, f := range figures {
			logs := run.Logs(run.Blocks, arm.Name, f.of)
			if len(logs) == 0 {
				continue
			}
			in := paired.Estimate(logs, run.Rule.Confidence)
			a.figures = append(a.figures, figure{f.name, paired.Interval{
				Estimate: math.Expm1(in.Estimate), Lower: math.Expm1(in.Lower), Upper: math.Expm1(in.Upper)}, len(logs)})
		}
		r.arms = append(r.arms, a)
		if arm.Planted != 0 {
			b := r.judge(arm, run.Rule.Brought(pairs, arm.Planted))
			b.brought, b.Name = true, fmt.Sprintf("%s, brought to %s", arm.Name, plainShare(arm.Planted))
			r.arms = append(r.arms, b)
		}
	}
	return r
}

// judge judges an arm by its pairs, all together and cut into gates.
func (r Report) judge(arm ab.Arm, pairs []paired.Pair) judged {
	a := judged{Arm: arm, Judgement: r.run.Rule.JudgePairs(pairs)}
	for _, k := range gateSizes(&r.run.Experiment) {
		a.tallies = append(a.tallies, tally{k, r.run.Rule.Gates(pairs, k)})
	}
	return a
}

// Err is nil for a pass. A proof that is whole passes whatever it found: what it found is
// a table.
func (r Report) Err() error {
	if n := len(r.run.Blocks); n < r.run.Manifest.Blocks {
		return fault.Unmeasurable.Errorf("%d of %d blocks are measured: the same command as before goes on with them", n, r.run.Manifest.Blocks)
	}
	b := r.arms[0]
	switch {
	case r.run.Proof() || b.Verdict == paired.Pass:
		return nil
	case b.Verdict == paired.Regression:
		return fault.Regression.Errorf("regression: %s", b.Reason)
	}
	return fault.Unmeasurable.Errorf("inconclusive: %s", b.Reason)
}

// Formats are those that a report has.
var Formats = []string{"text", "markdown", "json"}

// Format renders the report as "text", "markdown" or "json".
func (r Report) Format(name string) ([]byte, error) {
	t := r.VerdictTable()
	if r.run.Proof() {
		t = r.ProofTable()
	}
	switch name {
	case "json":
		return r.json()
	case "markdown":
		return []byte(t.Markdown()), nil
	}
	var b bytes.Buffer
	err := t.Text(&b)
	return b.Bytes(), err
}

// VerdictTable is a gate: what is judged first, then what is only reported.
func (r Report) VerdictTable() table.Table {
	a, b := r.run.Sides[r.run.Arms[0].Side], r.run.Sides[r.run.Arms[1].Side]
	arm := r.arms[0]
	type row struct {
		figure string
		paired.Interval
		accepted, verdict string
	}
	rows := []row{{"time of the same work", arm.Slowdown, "< " + plainShare(r.run.Rule.Margin), string(arm.Verdict)}}
	for _, f := range arm.figures {
		rows = append(rows, row{f.name, f.change, "", "not judged"})
	}
	t := table.New("Gate on the real engine: "+string(arm.Verdict),
		fmt.Sprintf("A: %s; B: %s. %d pairs, orders drawn with seed %d. Changes are of B against A, with one-sided bounds of %g%% each.",
			sideName(a), sideName(b), arm.Pairs, r.run.Seed, 100*r.run.Rule.Confidence), rows,
		table.Show("figure", func(r row) string { return r.figure }).Left(),
		table.Show("change", func(r row) string { return change(r.Estimate) }),
		table.Show("at least", func(r row) string { return change(r.Lower) }),
		table.Show("at most", func(r row) string { return change(r.Upper) }),
		table.Show("accepted", func(r row) string { return r.accepted }),
		table.Show("verdict", func(r row) string { return r.verdict }).Left())
	t.Notes = append(t.Notes, "time of the same work: "+arm.Reason+".", r.smallest(arm.Judgement))
	return t
}

// smallest says what the gate could have seen.
func (r Report) smallest(j paired.Judgement) string {
	if math.IsInf(j.Smallest, 0) {
		return "What slowdown these pairs could have shown is not known."
	}
	text := fmt.Sprintf("Pairs that scatter like these call a slowdown of %s a regression with a chance of %g%%", change(j.Smallest), 100*r.run.Rule.Power)
	if n := r.run.Rule.PairsFor(j); n > j.Pairs {
		text += fmt.Sprintf("; to pass a B as fast as A with that chance takes %d pairs", n)
	}
	return text + "."
}

// ProofTable is how often each verdict came.
func (r Report) ProofTable() table.Table {
	rule := r.run.Rule
	type row struct {
		what string
		tally
	}
	var rows []row
	var notes []string
	for _, a := range r.arms {
		what := "A itself (A/A)"
		if a.Planted != 0 {
			what = fmt.Sprintf("A with each step %s longer", plainShare(a.Planted))
		}
		if a.brought {
			what = fmt.Sprintf("the same, brought to %s", plainShare(a.Planted))
		}
		for _, tally := range a.tallies {
			if len(tally.Gates) > 0 {
				rows = append(rows, row{what, tally})
			}
		}
		notes = append(notes, fmt.Sprintf("%s: over all pairs slower by %s [%s, %s].", what, change(a.Slowdown.Estimate), change(a.Slowdown.Lower), change(a.Slowdown.Upper)))
	}
	columns := []table.Col[row]{
		table.Show("B", func(r row) string { return r.what }).Left(),
		table.Show("pairs of a gate", func(r row) string { return fmt.Sprint(r.pairs) }),
		table.Show("gates", func(r row) string { return fmt.Sprint(len(r.Gates)) }),
	}
	for _, v := range paired.Verdicts() {
		columns = append(columns, table.Show(string(v), func(r row) string { return fmt.Sprint(r.Count(v)) }))
	}
	t := table.New("The gate on the real engine, proved",
		fmt.Sprintf("%s against itself, %d pairs of each kind, cut into gates. A slowdown below %s is accepted; bounds of %g%%. Shares with 95%% Clopper–Pearson intervals.",
			sideName(r.run.Sides[r.run.Arms[0].Side]), len(r.run.Blocks), plainShare(rule.Margin), 100*rule.Confidence), rows, append(columns,
			table.Show("called a regression", func(r row) string { return shareText(r.Share(paired.Regression)) }),
			table.Show("passed", func(r row) string { return shareText(r.Share(paired.Pass)) }),
			table.Show("smallest detectable (median)", func(r row) string { return change(r.MedianSmallest()) }))...)
	t.Name, t.Notes = "gate-real", notes
	if slices.ContainsFunc(r.arms, func(a judged) bool { return a.brought }) {
		t.Notes = append(t.Notes, "Brought to: the same pairs with the slowed side's times all shorter or longer in one proportion, so that the slowdown over all pairs is the one that was planted.")
	}
	t.Notes = append(t.Notes,
		"Gates of one size share no pair; those of different sizes are the same pairs, cut otherwise.",
		fmt.Sprintf("All arms of a block are measured one after the other in an order drawn by lot (seed %d), so a pair here may have the third arm in its middle, which a gate's has not.", r.run.Seed))
	return t
}

// RuleTable says what the verdicts mean.
func RuleTable(rule paired.Rule) table.Table {
	margin, confidence := plainShare(rule.Margin), fmt.Sprintf("%g%%", 100*rule.Confidence)
	type outcome struct {
		verdict    paired.Verdict
		exit       int
		when, says string
	}
	t := table.New("", "", []outcome{
		{paired.Pass, gate.ExitPass, "the upper " + confidence + " bound of the slowdown is below " + margin, "B is not slower by as much as " + margin + " (non-inferiority)"},
		{paired.Regression, gate.ExitRegression, "the lower " + confidence + " bound is above 0, and the estimate is " + margin + " or more", "B is slower, and more likely than not by more than is accepted"},
		{paired.Inconclusive, gate.ExitNotMeasurable, "neither, or the work was not equal", "more pairs, or a quieter machine, would tell"},
	},
		table.Show("verdict", func(o outcome) string { return string(o.verdict) }).Left(),
		table.Show("exit code", func(o outcome) string { return fmt.Sprint(o.exit) }),
		table.Show("when", func(o outcome) string { return o.when }).Left(),
		table.Show("what it says", func(o outcome) string { return o.says }).Left())
	t.Name = "gate-rule"
	return t
}

func shareText(s paired.Share) string {
	return fmt.Sprintf("%.0f%% [%.1f%%, %.1f%%]", 100*s.Value(), 100*s.Lo, 100*s.Hi)
}

func plainShare(v float64) string { return strconv.FormatFloat(100*v, 'g', 4, 64) + "%" }

func sideName(s ab.Side) string {
	if s.Commit != "" {
		return fmt.Sprintf("%s (%.12s)", s.Asked, s.Commit)
	}
	return fmt.Sprintf("%s (SHA-256 %.12s)", s.Asked, s.SHA256)
}

// change is a share as a signed percentage.
func change(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return unmeasured
	}
	return fmt.Sprintf("%+.1f%%", 100*v)
}
