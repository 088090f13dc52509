package report

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/promise"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// withPolicy is the sweep of fiveRungs, whose shedding rung says what its policy decided.
func withPolicy() *analysis.Sweep {
	f := fiveRungs()
	cells, rows := f.cells()
	var ms []analysis.CellMetrics
	for i := range cells {
		if cells[i].Rung == shedding.name {
			cells[i].Params = map[string]string{"admission": "conformal", "admission_alpha": "0.05"}
			cells[i].UpperRequests = results.Some(float64(len(rows[i])))
			for j := range rows[i] {
				decide(j, &rows[i][j])
			}
		}
		ms = append(ms, analysis.Measure(cells[i], rows[i], analysis.Options{}))
	}
	return analysis.NewSweep(ms, []string{"fifo", "static", "continuous", "prefix", "conformal-95"})
}

func decide(j int, r *results.Record) {
	r.MaxTokens = int32(64 * (1 + j%3))
	a := results.Admission{Reason: "too-late"}
	if r.Outcome != results.Shed {
		a = results.Admission{Admitted: true, Reason: "fits", Propensity: 1, Bound: results.Some(3 * time.Second)}
		if j%40 == 0 {
			a.Forced, a.Reason, a.Propensity = true, "explore", 0.01
		}
	}
	a.Threshold = results.Some(gateOf(j, a.Admitted))
	r.Admission = results.Some(a)
}

// gateOf lets θ begin at its least and stand between its limits from then on.
func gateOf(j int, admitted bool) results.AdmissionThreshold {
	g := results.AdmissionThreshold{Theta: 1.5, Threshold: 1.6, At: "interior"}
	if j%200 < 60 {
		g.Theta, g.At = 0.25, "least"
	}
	if !admitted {
		g.RefusedBy = []string{"theta", "price", "brake"}[j%3]
	}
	return g
}

func TestAdmissionTables(t *testing.T) {
	s := withPolicy()
	var names []string
	for _, table := range promise.Tables(s, caption.Of(s, "m")) {
		names = append(names, table.Name)
		golden.Equal(t, "policy-"+table.Name+".md", table.Markdown())
		golden.Equal(t, "policy-"+table.Name+".csv", string(table.CSV()))
	}
	require.Equal(t, []string{"admission", "admission-theta", "admission-bounds", "arms", "arms-kept", "admission-lengths", "admission-pace", "admission-reasons"}, names)
	require.Empty(t, promise.Tables(ladder().sweep(), caption.Facts{}), "no rung has a policy")
}

// TestThetaNotRecorded: of a run whose files lack the columns the table says so.
func TestThetaNotRecorded(t *testing.T) {
	f := fiveRungs()
	cells, rows := f.cells()
	var ms []analysis.CellMetrics
	for i := range cells {
		if cells[i].Rung == shedding.name {
			cells[i].Params = map[string]string{"admission": "conformal", "admission_alpha": "0.05"}
			for j := range rows[i] {
				decide(j, &rows[i][j])
				rows[i][j].Admission.V.Threshold = results.Opt[results.AdmissionThreshold]{}
			}
		}
		ms = append(ms, analysis.Measure(cells[i], rows[i], analysis.Options{}))
	}
	s := analysis.NewSweep(ms, []string{"fifo", "static", "continuous", "prefix", "conformal-95"})
	tables := promise.Tables(s, caption.Of(s, "m"))
	i := slices.IndexFunc(tables, func(t table.Table) bool { return t.Name == "admission-theta" })
	require.GreaterOrEqual(t, i, 0)
	require.NotEmpty(t, tables[i].Rows())
	for _, row := range tables[i].Rows() {
		require.Contains(t, row, "not recorded")
		require.NotContains(t, row, "0%")
	}
	require.Contains(t, tables[i].Notes[len(tables[i].Notes)-1], "Not recorded")
}
