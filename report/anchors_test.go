package report

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/sweep"
	"github.com/cadence-bench/cadence-bench/results"
)

// repeated is a sweep with replicates and anchors, on a machine that slows down towards
// its end.
func repeated(rungs ...serving) *analysis.Sweep {
	f := ladder()
	f.rungs, f.rates, f.seeds = rungs, []float64{0.5, 1.5, 4}, []uint64{1, 2}
	var cells []analysis.CellMetrics
	add := func(key results.Key, rung serving, slow float64) {
		c := f.cell(key, len(cells))
		c.ProbeBefore.V.DecodeTokensPerS = 400 / slow
		cells = append(cells, analysis.Measure(c, serve(c, rung), analysis.Options{}))
	}
	for _, rate := range f.rates {
		for replicate := range 2 {
			for _, seed := range f.seeds {
				for _, rung := range rungs {
					add(results.Key{Rung: rung.name, OfferedRPS: rate, Seed: seed, Replicate: replicate}, rung, 1)
				}
			}
		}
	}
	anchor := rungs[len(rungs)-1]
	anchor.batch /= 2 // by which a slower machine shows
	for _, rate := range f.rates {
		for _, seed := range f.seeds {
			add(results.Key{Rung: anchor.name, OfferedRPS: rate, Seed: seed, Anchor: true}, anchor, 1.1)
		}
	}
	return analysis.NewSweep(cells, nil)
}

func TestAnchorTable(t *testing.T) {
	s := repeated(fifo, continuous)
	table, ok := sweep.Anchors(s, caption.Of(s, "m"))
	require.True(t, ok)
	golden.Equal(t, "anchors.md", table.Markdown())
	golden.Equal(t, "anchors.csv", string(table.CSV()))
	_, ok = sweep.Anchors(ladder().sweep(), caption.Facts{})
	require.False(t, ok)

	r, err := of(s, manifest("llama.cpp"), chartdata.Source{Records: func(key results.Key) ([]results.Record, error) {
		return fixture{rungs: []serving{fifo, continuous}, duration: ladder().duration}.load(key)
	}})
	require.NoError(t, err)
	require.Contains(t, r.Blocks(), "anchors")
	require.Contains(t, r.Markdown(), "measured again after all others")
	require.Contains(t, r.Summary.Markdown(), "Some tapes were measured more than once. The replicates of a seed are averaged first, since they are not independent seeds; requests are totals over replicates too.")
	require.NotContains(t, r.Summary.Markdown(), "anchor")
	require.Contains(t, r.Cells.Markdown(), "| continuous (anchor) ")
	require.Contains(t, r.Cells.Markdown(), "| fifo (replicate 1) ")
}

// Cells that failed, and those that were measured after something changed, are in the
// footnotes of the run's main tables.
func TestFailedAndMixedCellsAreFootnotes(t *testing.T) {
	dir := folder(t, ladder())
	journal, err := results.OpenJournal(dir)
	require.NoError(t, err)
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	lost := run.Entries[4]
	require.NoError(t, journal.Append(results.Entry{Key: lost.Key, Order: lost.Order, State: results.CellFailed, Reason: "device lost"}))

	mixed := run.Entries[5:7]
	changes := []results.Change{{Field: "CPU", Was: "cpu1", Is: "cpu2"}, {Field: "commit", Was: "a"}}
	for _, e := range mixed {
		cell, rows, err := run.ReadCell(e)
		require.NoError(t, err)
		cell.Mixed = changes
		require.NoError(t, results.WriteCell(run.CellPath(e.Order, e.Key), cell, rows))
		entry, err := run.EntryOf(e.File)
		require.NoError(t, err)
		require.NoError(t, journal.Append(entry))
	}
	require.NoError(t, journal.Close())
	run.Manifest.Mixed = []results.Mixture{{At: run.Manifest.StartedAt, Changes: changes}}
	require.NoError(t, results.WriteManifest(filepath.Join(dir, "manifest.json"), run.Manifest))

	r := load(t, dir)
	failed := "1 cell could not be measured, each tried twice: " + lost.Name() + " (device lost)."
	note := "Measured after the run was gone on with although its CPU was cpu1 and is now cpu2; its commit was a and is now unknown."
	for _, text := range []string{r.Headline.Markdown(), r.Summary.Markdown(), r.Brief.Markdown()} {
		require.Contains(t, text, failed)
	}
	require.Regexp(t, `(?m)^- [¹²³⁴] `+note, r.Summary.Markdown())
	require.Contains(t, r.Headline.Markdown(), "MIXED: 2 of 14 cells")
	require.Contains(t, r.Warnings, "mixed run: when it was gone on with on 2026-03-01, its CPU was cpu1 and is now cpu2")
}
