package promise

import (
	"slices"
	"strconv"

	"github.com/cadence-bench/cadence-bench/analysis/claims"
	"github.com/cadence-bench/cadence-bench/analysis/promise"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// unrecorded stands for what a run of an earlier version did not keep.
const unrecorded = "not recorded"

const thetaNote = "θ is the threshold that risk control moves, as −log(1 − level). Where it is interior it holds the late share at α: *late while interior* is the share of the requests taken by the bound then that did not end well within the SLO, and *within 2 points of α* " +
	"whether the interval of that share, over seeds and at least as wide as that of independent requests, lies within α ± 2 points (holds), outside (does not hold) or on the border (cannot tell, as with fewer than three seeds). At its lower limit it saves up no credit: what is refused there other limits refuse, and the late share stays below α. Where θ is at its least most of the time, each stretch inside is the few requests after a late one, and their late share says little."

const refusedByNote = "*refused by*: shares of the requests refused, by the first of the limits that their chance of being in time did not pass: the least chance that is ever taken; the level of θ; θ, less what they take from the chances of others (harm); " +
	"θ with what is foreseen of the open requests (brake); the price on their work. What a policy refuses without a threshold is not counted."

// thetas tells where the threshold of each policy stood, whether the promise is met as
// closely as it should be there, and what else refused.
func thetas(points []point, f caption.Facts) table.Table {
	recorded := func(a point) bool { return a.Theta.Decided > 0 }
	figure := func(head, key, doc string, of func(a point) results.Opt[float64], format func(float64) string) table.Col[point] {
		return table.Optional(head, key, "", doc, of, format).Where(recorded)
	}
	where := func(at string, n func(t *promise.Theta) int) table.Col[point] {
		return figure("θ "+at, "theta_"+at+"_share", "share of the decisions at which θ was there", func(a point) results.Opt[float64] {
			return shareOf(n(&a.Theta), a.Theta.Decided)
		}, percent)
	}
	columns := append(who(), alpha(),
		where("least", func(t *promise.Theta) int { return t.Least }),
		where("interior", func(t *promise.Theta) int { return t.Interior }),
		where("most", func(t *promise.Theta) int { return t.Most }),
		figure("θ mean", "theta_mean", "mean of θ over the decisions", func(a point) results.Opt[float64] {
			return results.Some(a.Theta.Sum / float64(a.Theta.Decided))
		}, format.Sig3),
		table.Show("late while interior", func(a point) string {
			if !recorded(a) {
				return table.Null
			}
			return proportion(a.Interior)
		},
			proportionValues("late_while_interior", "share of the requests taken by the bound while θ was interior that did not end well within the SLO", func(a point) stats.Proportion { return a.Interior })...),
		table.Show("of", func(a point) string { return strconv.Itoa(a.Interior.N) }).Where(recorded),
		table.Text("within 2 points of α", "within_2_points_of_alpha", "whether the interval of that share lies within α ± 2 points", func(a point) string {
			switch {
			case a.Theta.Decided == 0:
				return unrecorded
			case a.Interior.N == 0:
				return ""
			}
			return string(claims.Near(a.Interior, a.Alpha.V, claims.NearPoints))
		}),
	)
	for i, name := range promise.Limits {
		columns = append(columns, figure("refused by "+name, "refused_by_"+name, "share of the refused that this limit turned away", func(a point) results.Opt[float64] {
			return shareOf(a.Theta.RefusedBy[i], a.Theta.Refused())
		}, percent))
	}
	t := table.New("Where the threshold of admission stood", f.Caption(), points, columns...)
	t.Name, t.Notes = "admission-theta", []string{thetaNote, refusedByNote, intervalNote(points)}
	if slices.ContainsFunc(points, func(a point) bool { return a.Theta.Decided == 0 }) {
		t.Notes = append(t.Notes, "Not recorded: the policy has no θ, or the run was made before it was kept.")
	}
	return t
}
