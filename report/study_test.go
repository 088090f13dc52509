package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/knob"
	"github.com/cadence-bench/cadence-bench/results"
)

// studyRun is a study on the crude engine of the fixtures: an arm with a small batch, one
// that is the base again, and one that refuses requests; the base's replicates differ in
// their probes only but for one that was measured on a slower machine.
func studyRun() (*analysis.Sweep, *results.Study) {
	f := ladder()
	f.rates, f.seeds = []float64{0.5, 6}, []uint64{1, 2}
	study := &results.Study{Base: "prefix", Arms: []results.Arm{{Knob: "max-batch", Value: "4"}, {Knob: "max-batch", Value: "24"}, {Knob: "kv-layout", Value: "unified"}}}
	small, slower := prefix, prefix
	small.batch, slower.batch = 4, 20
	var cells []analysis.CellMetrics
	add := func(rung string, rate float64, seed uint64, replicate int, how serving) {
		c := f.cell(results.Key{Rung: rung, OfferedRPS: rate, Seed: seed, Replicate: replicate}, len(cells))
		cells = append(cells, analysis.Measure(c, serve(c, how), analysis.Options{}))
	}
	for _, rate := range f.rates {
		for _, seed := range f.seeds {
			add("prefix", rate, seed, 0, prefix)
			add("max-batch=4", rate, seed, 0, small)
			add("prefix", rate, seed, 1, slower)
			add("max-batch=24", rate, seed, 0, prefix)
			add("prefix", rate, seed, 2, prefix)
			add("kv-layout=unified", rate, seed, 0, shedding)
		}
	}
	return analysis.NewSweep(cells, nil), study
}

func TestStudyTables(t *testing.T) {
	s, study := studyRun()
	tables := knob.Tables(s, study, caption.Of(s, "m"))
	require.Len(t, tables, 3)
	text := ""
	for _, table := range tables {
		text += table.Markdown() + "\n"
	}
	golden.Equal(t, "knobs.md", text)
	golden.Equal(t, "knobs.csv", string(tables[0].CSV()))
	require.Equal(t, []string{"knobs", "knob-max-batch", "knob-kv-layout"}, []string{tables[0].Name, tables[1].Name, tables[2].Name})
	require.Equal(t, []string{"max-batch", "24", "within the noise", "within the noise"}, tables[0].Rows()[1], "the same again")
	require.Contains(t, tables[0].Rows()[0][3], "worse", "a small batch, under much load")
}

// A report of a study has its tables, and nothing that calls an arm a step of a ladder.
func TestReportOfAStudy(t *testing.T) {
	s, study := studyRun()
	m := manifest("llama.cpp")
	study.Params(m.Params)
	r, err := of(s, m, chartdata.Source{Records: func(key results.Key) ([]results.Record, error) {
		return serve(ladder().cell(key, 0), prefix), nil
	}})
	require.NoError(t, err)
	for _, name := range []string{"knobs", "knob-max-batch", "knob-kv-layout"} {
		require.Contains(t, r.Blocks(), name)
	}
	require.Contains(t, r.Markdown(), "**Knob max-batch**")
	require.NotContains(t, r.Headline.Markdown(), "the rung below")
	require.Len(t, r.Words, 1)
	for _, name := range stepTables {
		require.NotContains(t, r.Blocks(), name)
	}
	page := pageOf(t, r)
	require.Contains(t, string(page), "Knob max-batch")
	out := t.TempDir()
	_, err = r.Write(out)
	require.NoError(t, err)
	require.FileExists(t, out+"/tables/knobs.csv")
	require.NoError(t, r.CheckTables(out))

	m.Params["knobs"] = "max-batch"
	_, err = of(s, m, chartdata.Source{})
	require.ErrorContains(t, err, `"max-batch" is not knob=value`)
}
