package verdict

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/decided"
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/results"
)

// decidedCell has one line, and was decided otherwise for another request.
func decidedCell(rung string, rate float64, request string) decided.Cell {
	return decided.Cell{
		Key: results.Key{Rung: rung, OfferedRPS: rate, Seed: 1}, SLOMS: 2000, Steps: 50,
		Lines: []decided.Line{{Step: 41, Items: []string{"ended request " + request + " (completed)"}}},
	}
}

// redGate is a gate in which a figure of static failed at 2/s, with the baseline in a file.
func redGate(t *testing.T) (file string, g *Gate, now []decided.Cell) {
	t.Helper()
	before := []decided.Cell{decidedCell("fifo", 2, "3"), decidedCell("static", 1, "3"), decidedCell("static", 2, "3")}
	now = []decided.Cell{decidedCell("fifo", 2, "4"), decidedCell("static", 1, "4"), decidedCell("static", 2, "5")}
	g = &Gate{}
	g.Baseline.Decisions, g.Now.Decisions = gate.DecisionsOf(before), gate.DecisionsOf(now)
	g.Result.Rows = []gate.Row{{Rung: "fifo", RateRPS: 2, Verdict: gate.Pass}, {Rung: "static", RateRPS: 2, Verdict: gate.Regression}}
	lines, err := decided.Encode(before)
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "baseline.decisions.zst")
	require.NoError(t, os.WriteFile(file, lines, 0o644))
	return file, g, now
}

func TestExplainTellsOfTheCellsThatFailed(t *testing.T) {
	file, g, now := redGate(t)
	g.Explain(file, now)
	w := g.Why
	require.Len(t, w.Cells, 1)
	require.Equal(t, "static-2rps-s1", w.Cells[0].Cell)
	require.Equal(t, int64(41), *w.Cells[0].Step)
	require.Equal(t, "ended request 3 (completed)", w.Cells[0].Before)
	require.Equal(t, "ended request 5 (completed)", w.Cells[0].Now)
	require.Empty(t, w.Notes)

	g.Result.Rows[1].RateRPS = 0 // of the rung, whatever the rate
	g.Explain(file, now)
	require.Len(t, g.Why.Cells, 2)
}

func TestExplainWithoutTheBaselinesDecisions(t *testing.T) {
	file, g, now := redGate(t)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	byHash := "By their hashes, the decisions of cell static-2rps-s1 differ from the first steps on."
	for what, c := range map[string]struct {
		change func()
		want   string
	}{
		"gone":    {func() { require.NoError(t, os.Remove(file)) }, "no such file"},
		"damaged": {func() { require.NoError(t, os.WriteFile(file, data[:20], 0o644)) }, "it is not a whole zstd file"},
		"another's": {func() {
			other, err := decided.Encode(now)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, other, 0o644))
		}, "is not the baseline's: cell fifo-2rps-s1 has another hash there; write both again by --update"},
	} {
		c.change()
		g.Explain(file, now)
		w := g.Why
		require.Empty(t, w.Cells, what)
		require.Len(t, w.Notes, 2, what)
		require.Contains(t, w.Notes[0], "The baseline's decisions cannot be told: ", what)
		require.Contains(t, w.Notes[0], c.want, what)
		require.Equal(t, byHash, w.Notes[1], what)
	}
}

func TestPartedInWords(t *testing.T) {
	require.Equal(t, "By their hashes, the decisions of cell a differ after step 90, and by step 200 at the latest.", parted(gate.Parting{Cell: "a", After: 90, By: 200}))
}

// TestCommittedDecisionsAreTheBaselines: the two files in the repository belong together.
func TestCommittedDecisionsAreTheBaselines(t *testing.T) {
	kept := filepath.Join("..", "..", "results", "runs", "gate", "baseline")
	text, err := os.ReadFile(kept + ".json")
	require.NoError(t, err)
	b, err := gate.Parse(text)
	require.NoError(t, err)
	file := kept + ".decisions.zst"
	cells, err := readDecisions(file, b)
	require.NoError(t, err)
	require.Equal(t, b.Decisions, gate.DecisionsOf(cells))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Less(t, len(data), 500_000)
}
