package decided

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/results"
)

func TestScriptedCell(t *testing.T) {
	text, err := Text([]Cell{script().decide(t)})
	require.NoError(t, err)
	golden.Equal(t, "cell.txt", string(text))
}

func TestTimesAreNoDecisions(t *testing.T) {
	s := script()
	want := s.decide(t)
	for i := range s.steps {
		for _, d := range []*int64{(*int64)(&s.steps[i].Start), (*int64)(&s.steps[i].End), (*int64)(&s.steps[i].Committed), (*int64)(&s.steps[i].Model)} {
			*d *= 3
		}
	}
	for i := range s.records {
		r := &s.records[i]
		r.Intended, r.Sent.V, r.Ended.V = 3*r.Intended, 3*r.Sent.V, 3*r.Ended.V
		for j := range r.Tokens {
			r.Tokens[j] *= 3
		}
	}
	got := s.decide(t)
	require.Equal(t, want.Lines, got.Lines)
	require.Equal(t, want.Chain(), got.Chain())
	require.NotEqual(t, want.Requests, got.Requests)
}

func TestWhatCannotBeTold(t *testing.T) {
	s := script()
	_, err := Of(s.cell, s.records, nil)
	require.EqualError(t, err, "cell prefix-2.5rps-s7 has no step trace: measure it with one (--trace-steps)")
	_, err = Of(s.cell, s.records, s.steps[1:])
	require.EqualError(t, err, "cell prefix-2.5rps-s7: row 0 of its step trace is of step 1: the trace has a gap")
	_, err = Of(s.cell, append(s.records, s.records[0]), s.steps)
	require.EqualError(t, err, "cell prefix-2.5rps-s7: request 6 is there twice")
}

func TestRefusedByAServerIsRefused(t *testing.T) {
	c, err := Of(results.Cell{}, []results.Record{{Outcome: results.Shed, Reason: results.Some("HTTP 429")}}, nil)
	require.NoError(t, err)
	require.Equal(t, []Request{{0, Refused, -1}}, c.Requests)
	require.Equal(t, []Line{{0, []string{"refused request 0 (HTTP 429)"}, ""}}, c.Lines)
}

func TestMarksSayWhereChainsPart(t *testing.T) {
	long := func(differsAt int) *Cell {
		c := &Cell{}
		for i := range 3*markEvery + 5 {
			l := Line{Step: int64(10 * i)}
			l.add("ended request %d (completed)", i)
			if i == differsAt {
				l.add("copied 1 sequence")
			}
			c.Lines = append(c.Lines, l)
		}
		return c
	}
	for _, c := range []struct {
		differsAt int
		after, by int64
	}{{0, -1, 1270}, {127, -1, 1270}, {128, 1270, 2550}, {383, 2550, 3830}, {384, 3830, -1}} {
		after, by, differ := Parted(long(-1).Chain(), long(c.differsAt).Chain())
		require.True(t, differ)
		require.Equal(t, [2]int64{c.after, c.by}, [2]int64{after, by}, "line %d", c.differsAt)
		d, ok := FirstDifference(long(-1), long(c.differsAt))
		require.True(t, ok)
		require.Equal(t, int64(10*c.differsAt), d.Step)
	}
	_, _, differ := Parted(long(-1).Chain(), long(-1).Chain())
	require.False(t, differ)
	require.Len(t, long(-1).Chain().Marks, 3)
}
