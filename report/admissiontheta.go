package report

import (
	"slices"
	"strconv"

	"github.com/cadence-bench/cadence-bench/analysis"
)

// unrecorded stands for what a run of an earlier version did not keep.
const unrecorded = "not recorded"

const thetaNote = "θ is the threshold that risk control moves, as −log(1 − level). Where it is interior it holds the late share at α: *late while interior* is the share of the requests taken by the bound then that did not end well within the SLO, and *within 2 points of α* " +
	"whether the interval of that share, over seeds and at least as wide as that of independent requests, lies within α ± 2 points (holds), outside (does not hold) or on the border (cannot tell, as with fewer than three seeds). At its lower limit it saves up no credit: what is refused there other limits refuse, and the late share stays below α. Where θ is at its least most of the time, each stretch inside is the few requests after a late one, and their late share says little."

const refusedByNote = "*refused by*: shares of the requests refused, by the first of the limits that their chance of being in time did not pass: the least chance that is ever taken; the level of θ; θ, less what they take from the chances of others (harm); " +
	"θ with what is foreseen of the open requests (brake); the price on their work. What a policy refuses without a threshold is not counted."

// thetas tells where the threshold of each policy stood, whether the promise is met as
// closely as it should be there, and what else refused.
func thetas(points []analysis.AdmissionPoint, f Facts) Table {
	of := func(name string, text func(a *analysis.AdmissionPoint) string) column {
		return admissionColumn(name, points, func(a *analysis.AdmissionPoint) string {
			if a.Theta.Decided == 0 {
				return null
			}
			return text(a)
		})
	}
	share := func(name string, n func(t *analysis.Theta) int) column {
		return of(name, func(a *analysis.AdmissionPoint) string { return percentOf(n(&a.Theta), a.Theta.Decided) })
	}
	near := admissionColumn("within 2 points of α", points, func(a *analysis.AdmissionPoint) string {
		switch {
		case a.Theta.Decided == 0:
			return unrecorded
		case a.Interior.N == 0:
			return null
		}
		return string(a.Interior.Near(a.Alpha.V, analysis.NearPoints))
	})
	near.Left = true
	columns := append(who(points),
		admissionColumn("α", points, func(a *analysis.AdmissionPoint) string { return percentIf(a.Alpha) }),
		share("θ least", func(t *analysis.Theta) int { return t.Least }),
		share("θ interior", func(t *analysis.Theta) int { return t.Interior }),
		share("θ most", func(t *analysis.Theta) int { return t.Most }),
		of("θ mean", func(a *analysis.AdmissionPoint) string { return sig3(a.Theta.Sum / float64(a.Theta.Decided)) }),
		of("late while interior", func(a *analysis.AdmissionPoint) string { return proportion(a.Interior) }).
			with(proportionFields(points, "late_while_interior", "share of the requests taken by the bound while θ was interior that did not end well within the SLO", func(a *analysis.AdmissionPoint) analysis.Proportion { return a.Interior })...),
		of("of", func(a *analysis.AdmissionPoint) string { return strconv.Itoa(a.Interior.N) }),
		near,
	)
	for i, name := range analysis.Limits {
		columns = append(columns, of("refused by "+name, func(a *analysis.AdmissionPoint) string {
			return percentOf(a.Theta.RefusedBy[i], a.Theta.Refused())
		}))
	}
	t := assemble("Where the threshold of admission stood", f.Caption(), columns)
	t.Name, t.Notes = "admission-theta", []string{thetaNote, refusedByNote, intervalNote(points)}
	if slices.ContainsFunc(points, func(a analysis.AdmissionPoint) bool { return a.Theta.Decided == 0 }) {
		t.Notes = append(t.Notes, "Not recorded: the policy has no θ, or the run was made before it was kept.")
	}
	return t
}
