package decided

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

func TestDifferenceInWords(t *testing.T) {
	const pool, other = "4 blocks free, 0 cached, 2 held, 0 promised", "3 blocks free, 0 cached, 3 held, 0 promised"
	with := func(steps int64, lines ...Line) *Cell { return &Cell{Steps: steps, Lines: lines} }
	a17, a19 := "admitted request 17 with 128 of 300 tokens cached", "admitted request 19 with 0 of 280 tokens cached"
	for name, c := range map[string]struct {
		before, now *Cell
		want        string
		requests    []int32
	}{
		"another choice": {
			with(50, Line{41, []string{a17, "prefilled 172 tokens of request 17"}, pool}),
			with(50, Line{41, []string{a19, "prefilled 280 tokens of request 19"}, other}),
			"step 41: before, admitted request 17 with 128 of 300 tokens cached, prefilled 172 tokens of request 17; now, admitted request 19 with 0 of 280 tokens cached, prefilled 280 tokens of request 19",
			[]int32{17, 19},
		},
		"one more": {
			with(50, Line{41, []string{a17}, pool}), with(50, Line{41, []string{a17, a19}, pool}),
			"step 41: before, not that; now, admitted request 19 with 0 of 280 tokens cached", []int32{19},
		},
		"later": {
			with(50, Line{41, []string{a17}, pool}), with(50, Line{43, []string{a17}, pool}),
			"step 41: before, admitted request 17 with 128 of 300 tokens cached; now, nothing to decide", []int32{17},
		},
		"no more steps": {
			with(50, Line{41, []string{a17}, pool}, Line{44, []string{a19}, pool}), with(42, Line{41, []string{a17}, pool}),
			"step 44: before, admitted request 19 with 0 of 280 tokens cached; now, the cell had no such step", []int32{19},
		},
		"the pool alone": {
			with(50, Line{41, []string{a17}, pool}, Line{43, []string{a19}, pool}), with(50, Line{41, []string{a17}, other}, Line{43, []string{a19}, other}),
			"step 41: every decision is as before, but the KV pool is left with other blocks: before, " + pool + "; now, " + other, nil,
		},
		"the pool first": {
			with(50, Line{41, []string{a17}, pool}, Line{43, []string{a19}, pool}), with(50, Line{41, []string{a17}, other}, Line{43, []string{a17}, other}),
			"step 43: before, " + a19 + "; now, " + a17 + " (the KV pool had been left with other blocks in step 41: before, " + pool + "; now, " + other + ")", []int32{19, 17},
		},
		"the order alone": {
			with(50, Line{41, []string{a17, a19}, pool}), with(50, Line{41, []string{a19, a17}, pool}),
			"step 41: before, " + a17 + ", " + a19 + "; now, " + a19 + ", " + a17, []int32{17, 19},
		},
		"twice": {
			with(50, Line{41, []string{a17}, pool}), with(50, Line{41, []string{a17, a17}, pool}),
			"step 41: before, not that; now, " + a17, []int32{17},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, ok := FirstDifference(c.before, c.now)
			require.True(t, ok)
			require.Equal(t, c.want, d.String())
			require.Equal(t, c.requests, d.Requests)
			_, ok = FirstDifference(c.now, c.now)
			require.False(t, ok)
		})
	}
}

// mutate changes one decision of the script, and returns the first step whose line must
// differ and what was done.
func (s *scripted) mutate(rng *rand.Rand) (step int64, what string) {
	type change struct {
		step int64
		what string
		do   func()
	}
	var all []change
	for i := range s.steps {
		row := &s.steps[i]
		also := func(what string, do func()) { all = append(all, change{row.Step, what, do}) }
		for j := range row.Admitted {
			a := &row.Admitted[j]
			also("another request", func() { a.Request += 50 })
			also("another hit", func() { a.Cached++ })
			also("another length", func() { a.Tokens++ })
			also("admitted again", func() { a.Again = !a.Again })
			also("not admitted", func() { row.Admitted = append(row.Admitted[:j:j], row.Admitted[j+1:]...) })
		}
		for j := range row.Evicted {
			e := &row.Evicted[j]
			also("another run", func() { e.Sequence++ })
			also("a shorter run", func() { e.Tokens-- })
			also("another reason", func() { e.Reason = "bound" })
		}
		for j := range row.Preempted {
			p := &row.Preempted[j]
			also("another victim", func() { p.Request += 50 })
			also("another price", func() { p.Tokens++ })
			also("no victim", func() { row.Preempted = nil })
		}
		for j := range row.Ended {
			e := &row.Ended[j]
			also("another end", func() { e.Request += 50 })
			also("another cause", func() { e.Reason += "!" })
		}
		if row.PrefillRows > 0 && !row.Error.OK {
			also("a smaller chunk", func() { row.PrefillRows-- })
		}
		also("a copy", func() { row.Copies++ })
		also("held back", func() { row.Held++ })
		also("an eviction", func() {
			row.Evicted = append(row.Evicted, results.StepEviction{Sequence: 9, Tokens: 1, Reason: "demand"})
		})
		also("no slot", func() {
			row.Error.OK = !row.Error.OK
		})
		if len(row.Ended) > 0 {
			also("a leak", func() { row.FreeBlocks-- })
		}
	}
	c := all[rng.IntN(len(all))]
	c.do()
	return c.step, c.what
}

// FuzzOneDecision: whatever single decision is another, the hash is, and the step is named.
func FuzzOneDecision(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		before, s := script().decide(t), script()
		step, what := s.mutate(rand.New(rand.NewPCG(seed, 1)))
		now := s.decide(t)
		require.NotEqual(t, before.Chain().Final, now.Chain().Final, "step %d: %s", step, what)
		d, ok := FirstDifference(&before, &now)
		require.True(t, ok)
		require.Equal(t, step, d.Step, "%s: %s", what, d)
		back, ok := FirstDifference(&now, &before)
		require.True(t, ok)
		require.Equal(t, step, back.Step)
	})
}

func TestMoved(t *testing.T) {
	before := &Cell{Requests: []Request{
		{0, InTime, 1000}, {1, InTime, 2000}, {2, Late, 9000}, {3, Refused, -1}, {4, InTime, 500}, {5, InTime, 700}, {6, Late, 8000}, {7, InTime, 100},
	}}
	now := &Cell{Requests: []Request{
		{0, InTime, 1000}, {1, Late, 5000}, {2, InTime, 3000}, {3, InTime, 900}, {4, Refused, -1}, {5, TimedOut, 9999}, {6, Late, 8001}, {9, InTime, 1},
	}}
	require.Equal(t, Movement{
		Compared: 7, Moved: 3, NewlyLate: []int32{1, 5}, NewlyInTime: []int32{2, 3}, NewlyRefused: []int32{4}, NewlyTaken: []int32{3},
		Most: []Move{{2, Request{2, Late, 9000}, Request{2, InTime, 3000}}, {1, Request{1, InTime, 2000}, Request{1, Late, 5000}}},
	}, Moved(before, now, 2))
	require.Equal(t, Movement{Compared: 8, Most: nil}, Moved(before, before, 5))
}

func TestExplainTellsOfEveryRungFirst(t *testing.T) {
	key := func(rung string, seed uint64) results.Key { return results.Key{Rung: rung, OfferedRPS: 2, Seed: seed} }
	cell := func(rung string, seed uint64, step int64) Cell {
		return Cell{Key: key(rung, seed), SLOMS: 4000, Steps: 9, Lines: []Line{{step, []string{"ended request 1 (completed)"}, ""}}}
	}
	before := []Cell{cell("a", 1, 1), cell("a", 2, 1), cell("b", 1, 1), cell("c", 1, 1), cell("c", 2, 1)}
	now := []Cell{cell("a", 1, 1), cell("a", 2, 3), cell("b", 1, 4), cell("c", 1, 5), cell("c", 2, 6)}
	asked := []results.Key{key("a", 1), key("c", 1), key("c", 2), key("b", 1), key("b", 1), key("d", 1)}
	e := Explain(before, now, asked, Limits{})
	var got []results.Key
	for _, x := range e.Cells {
		require.True(t, x.Differs)
		require.Equal(t, int64(1), x.First.Step)
		got = append(got, x.Key)
	}
	require.Equal(t, []results.Key{key("c", 1), key("b", 1), key("c", 2)}, got)
	require.Equal(t, 0, e.More)
	require.Equal(t, 1, e.Alike)
	require.Equal(t, []results.Key{key("d", 1)}, e.Unknown)
	require.Equal(t, 1, Explain(before, now, asked[:3], Limits{Cells: 1}).More)
}
