// Package cautions says what a reader must know of a run beyond single cells: whether
// the machine kept its speed (probes and anchors), whether the answers that completed are
// like those that were offered (survivors), whether there were enough requests for a p99
// (tails), and whether the rates reach both sides of a knee. Of lists them; Summaries
// writes them into summary.json.
package cautions

import (
	"fmt"
	"math"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/knees"
	"github.com/cadence-bench/cadence-bench/results"
)

// Codes of what is to be known of a rung at a rate, over all seeds. Those of a rung's
// knee are CodeKneeBelow and CodeKneeAbove.
const (
	CodeSurvivors = "survivorship" // the completed answers are shorter than the offered ones
	CodeTail      = "pooled-p99"   // not even all seeds together support a p99
	CodeUndecided = "undecided"    // the SLO is longer than some client waited
)

// Caution is one thing that a reader must know of a rung, at one rate or at the end of
// its rates.
type Caution struct {
	Rung       string
	OfferedRPS float64 // of one about a rung, the rate at which it shows
	results.Caution
}

func (c *Caution) of(k *results.Key) bool {
	return c.Rung == k.Rung && (c.About == results.AboutRung || c.OfferedRPS == k.OfferedRPS)
}

// Of lists what to know beyond single cells: by rung in ladder order, first of its
// rates, then of its knee.
func Of(s *analysis.Sweep) []Caution {
	var all []Caution
	knees := knees.Of(s)
	for i, rung := range s.Rungs {
		for _, p := range s.Of(rung) {
			all = append(all, cautionsAt(p)...)
		}
		all = append(all, OfKnee(&knees[i])...)
	}
	return all
}

func cautionsAt(p *analysis.Point) (all []Caution) {
	add := func(code string, figures map[string]float64, format string, args ...any) {
		all = append(all, Caution{p.Rung, p.OfferedRPS, results.Caution{Code: code, About: results.AboutRate, Figures: finite(figures), Text: fmt.Sprintf(format, args...)}})
	}
	if v, ok := SurvivorsOf(p); ok && v.Biased() {
		add(CodeSurvivors, map[string]float64{"mean_offered": v.MeanOffered, "mean_completed": v.MeanCompleted, "p": v.P},
			"the answers that completed are %.0f%% shorter than those offered (%.3g against %.3g tokens), so requests per second flatters it; tokens per second does not",
			100*v.Shortfall(), v.MeanCompleted, v.MeanOffered)
	}
	if t := TailOf(p); t.E2E.N > 0 && math.IsInf(t.E2E.Hi, 1) {
		figures := map[string]float64{"requests": float64(t.E2E.N), "needed": float64(t.NeedE2E), "unanswered": float64(t.Unanswered)}
		if t.NeedE2E == 0 {
			add(CodeTail, figures, "%d of %d admitted requests were not answered, so the p99 E2E is beyond what their clients waited for, whatever their number", t.Unanswered, t.E2E.N)
		} else {
			add(CodeTail, figures, "%d admitted requests over all seeds do not bound the p99 E2E from above; it takes %d", t.E2E.N, t.NeedE2E)
		}
	}
	undecided := 0
	for _, c := range p.Used() {
		undecided += c.Undecided
	}
	if undecided > 0 {
		add(CodeUndecided, map[string]float64{"requests": float64(undecided)},
			"%d requests were given up before the SLO was over: goodput and attainment are lower bounds", undecided)
	}
	return all
}

// OfKnee says what the run does not show of the knee.
func OfKnee(k *knees.Knee) (all []Caution) {
	missing := k.Missing()
	for _, code := range []string{knees.CodeKneeBelow, knees.CodeKneeAbove} {
		if missing[code] == nil {
			continue
		}
		edge := k.Rates[0]
		if code == knees.CodeKneeAbove {
			edge = k.Rates[len(k.Rates)-1]
		}
		all = append(all, Caution{k.Rung, edge.OfferedRPS, results.Caution{Code: code, About: results.AboutRung,
			Figures: finite(map[string]float64{"offered_rps": edge.OfferedRPS, "growth": edge.Growth, "growth_lo": edge.Lo, "growth_hi": edge.Hi}),
			Text:    strings.Join(missing[code], ", and ")}})
	}
	return all
}

// finite leaves out what JSON has no number for.
func finite(figures map[string]float64) map[string]float64 {
	for name, v := range figures {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			delete(figures, name)
		}
	}
	return figures
}

// Summaries returns one object per cell for summary.json, in the order of the
// sweep, anchors included. A quantile that is only known to exceed a bound is that bound there, and
// its key is listed in lower_bounds.
func Summaries(s *analysis.Sweep) []results.CellSummary {
	cells, cautions := s.All(), Of(s)
	sums := make([]results.CellSummary, len(cells))
	for i := range cells {
		sums[i] = cells[i].Summary()
		for _, c := range cautions {
			if c.of(&cells[i].Cell.Key) {
				sums[i].Warnings = append(sums[i].Warnings, c.Caution)
			}
		}
	}
	return sums
}
