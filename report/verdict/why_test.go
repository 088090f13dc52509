package verdict

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/decided"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/results"
)

func whyFixture() Why {
	cell := func(rung string, pool string, items ...string) decided.Cell {
		return decided.Cell{
			Key: results.Key{Rung: rung, OfferedRPS: 4, Seed: 1}, SLOMS: 4000, Steps: 90,
			Lines:    []decided.Line{{Step: 7, Items: []string{"ended request 1 (completed)"}, Pool: pool}, {Step: 41, Items: items, Pool: "2 blocks free"}},
			Requests: []decided.Request{{ID: 1, Fate: decided.InTime, MS: 1500}, {ID: 17, Fate: decided.InTime, MS: 3005}, {ID: 19, Fate: decided.Late, MS: 5000}},
		}
	}
	a17, a19 := "admitted request 17 with 128 of 300 tokens cached", "admitted request 19 with 0 of 280 tokens cached"
	before := []decided.Cell{cell("prefix", "3 blocks free", a17), cell("a|b", "3 blocks free", a17), cell("fifo", "3 blocks free", a17), cell("static", "3 blocks free", a17)}
	now := []decided.Cell{cell("prefix", "3 blocks free", a19), cell("a|b", "2 blocks free", a17), cell("fifo", "3 blocks free", a17), cell("static", "1 blocks free", a19)}
	now[0].Requests = []decided.Request{{ID: 1, Fate: decided.Refused, MS: -1}, {ID: 17, Fate: decided.Late, MS: 6105}, {ID: 19, Fate: decided.InTime, MS: 950}}
	now[2].Requests[0].MS++
	asked := []results.Key{{Rung: "paged"}}
	for i := range now {
		asked = append(asked, now[i].Key)
	}
	return WhyOf(decided.Explain(before, now, asked, decided.Limits{Cells: 4}))
}

func TestWhy(t *testing.T) {
	w := whyFixture()
	var b strings.Builder
	require.NoError(t, w.Text(&b))
	golden.Equal(t, "why.txt", b.String())
	golden.Equal(t, "why.md", w.Markdown())
	data, err := json.Marshal(w)
	require.NoError(t, err)
	var back Why
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, w, back)
}

func TestNothingToExplain(t *testing.T) {
	w := WhyOf(decided.Explanations{})
	var b strings.Builder
	require.NoError(t, w.Text(&b))
	require.Empty(t, b.String()+w.Markdown())
	require.Equal(t, []string{"1 cell more decided otherwise too.", "2 cells more decided as before, and only took another time."},
		WhyOf(decided.Explanations{More: 1, Alike: 2}).Notes)
}
