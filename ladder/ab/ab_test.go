package ab

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/paired"
)

// lab is a script of segments in place of processes: it says what each takes, and where
// it fails.
type lab struct {
	done    []string // arm and tape, in order
	failAt  int      // the segment, from 1, that fails; 0: none
	change  func(Arm, *Segment)
	begun   int // blocks that there were when it began
	told    int // blocks that it was told of
	seconds map[string]float64
}

func (l *lab) measure(_ context.Context, arm Arm, tape uint64) (Segment, error) {
	l.done = append(l.done, arm.Name)
	if len(l.done) == l.failAt {
		return Segment{}, errors.New("the engine died")
	}
	s := Segment{
		Segment: paired.Segment{Tape: string(rune('a' + tape)), Requests: 9, Completed: 9, Prompt: 1300, Output: 288, Answers: "h", Seconds: l.seconds[arm.Name]},
		Facts:   Facts{Backend: "script", Library: "l", Model: "m", Threads: "1", Planted: PlantedText(arm.Planted)},
	}
	if l.change != nil {
		l.change(arm, &s)
	}
	return s, nil
}

func (l *lab) run(t *testing.T, dir string, e Experiment) (*Run, error) {
	t.Helper()
	r := Runner{
		Dir: dir, Measure: l.measure, Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
		Begun: func(r *Run) { l.begun = len(r.Blocks) }, Over: func(*Run) { l.told++ },
	}
	return r.Run(t.Context(), Manifest{Experiment: e})
}

func newLab() *lab {
	return &lab{seconds: map[string]float64{"A": 1, "B": 1.1, "A again": 1, "A slowed": 1.1}}
}

func gate() Experiment {
	return Experiment{
		Sides: map[string]Side{"A": {Asked: "a", SHA256: "1"}, "B": {Asked: "b", SHA256: "2"}},
		Arms:  []Arm{{Name: "A", Side: "A"}, {Name: "B", Side: "B"}}, Blocks: 8, Gate: 8, Seed: 1, Tapes: []uint64{1, 2, 3}, Rule: paired.DefaultRule(),
	}
}

func TestRun(t *testing.T) {
	l, dir := newLab(), filepath.Join(t.TempDir(), "gate")
	run, err := l.run(t, dir, gate())
	require.NoError(t, err)
	require.Equal(t, 8, l.told)
	require.Equal(t, []string{"A", "B"}, l.done[:2], "each side once before the first block")
	for i, order := range paired.Orders(8, 2, 1) {
		want := []string{run.Arms[order[0]].Name, run.Arms[order[1]].Name}
		require.Equal(t, want, run.Blocks[i].Order)
		require.Equal(t, want, l.done[2+2*i:4+2*i], "what is written is what was done")
		require.Equal(t, string(rune('a'+1+i%3)), run.Blocks[i].Segments["A"].Tape)
		require.Equal(t, run.Blocks[i].Segments["A"].Tape, run.Blocks[i].Segments["B"].Tape)
	}
	require.Equal(t, paired.Regression, run.Rule.JudgePairs(run.Pairs(run.Blocks, "B")).Verdict)
	require.InDelta(t, math.Log(1.1), run.Pairs(run.Blocks, "B")[0].Log(), 1e-12)
	require.Len(t, run.Logs(run.Blocks, "B", func(s Segment) float64 { return s.Seconds }), 8)
	require.Empty(t, run.Logs(run.Blocks, "B", func(s Segment) float64 { return s.CPUS }), "what was not measured is no figure")

	again, err := Open(dir)
	require.NoError(t, err)
	require.Equal(t, run, again)
	require.False(t, again.Proof())

	l = newLab()
	_, err = l.run(t, dir, gate())
	require.NoError(t, err)
	require.Empty(t, l.done, "all is there")
	require.NoFileExists(t, filepath.Join(dir, "run.lock"))
}

// Wherever it is broken off, it goes on to the same pairs, and no pair is made of two
// halves from before and after.
func TestResume(t *testing.T) {
	whole, err := newLab().run(t, filepath.Join(t.TempDir(), "whole"), gate())
	require.NoError(t, err)
	for failAt := 1; failAt <= 2+16; failAt++ {
		dir := filepath.Join(t.TempDir(), "gate")
		l := newLab()
		l.failAt = failAt
		broken, err := l.run(t, dir, gate())
		require.ErrorContains(t, err, "the engine died")
		kept := max(0, (failAt-3)/2)
		require.Len(t, broken.Blocks, kept)

		l = newLab()
		run, err := l.run(t, dir, gate())
		require.NoError(t, err)
		require.Equal(t, kept, l.begun)
		require.Len(t, l.done, 2+2*(8-kept))
		require.Equal(t, whole.Blocks, run.Blocks)
	}
}

func TestTornLineIsNoBlock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gate")
	whole, err := newLab().run(t, dir, gate())
	require.NoError(t, err)
	path := filepath.Join(dir, blocksFile)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, cut := range []int{1, 10, 200} {
		require.NoError(t, os.WriteFile(path, data[:len(data)-cut], 0o644))
		r, err := Open(dir)
		require.NoError(t, err)
		require.Len(t, r.Blocks, 7)
		run, err := newLab().run(t, dir, gate())
		require.NoError(t, err)
		require.Equal(t, whole.Blocks, run.Blocks)
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(data), string(now))
	}
	lines := strings.SplitAfter(string(data), "\n")
	for name, bad := range map[string]string{
		"no JSON":        "x\n",
		"out of order":   lines[1],
		"of no segments": `{"block":0}` + "\n",
	} {
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o644))
		_, err := Open(dir)
		require.ErrorContains(t, err, "blocks.jsonl: line 1: ", name)
	}
}

// What was measured of one thing is never gone on with for another.
func TestOtherExperimentIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gate")
	_, err := newLab().run(t, dir, gate())
	require.NoError(t, err)
	for name, change := range map[string]func(*Experiment){
		"another program": func(e *Experiment) { e.Sides = map[string]Side{"A": e.Sides["A"], "B": {Asked: "b", SHA256: "3"}} },
		"more pairs":      func(e *Experiment) { e.Blocks, e.Gate = 9, 9 },
		"another coin":    func(e *Experiment) { e.Seed = 2 },
		"other tapes":     func(e *Experiment) { e.Tapes = []uint64{1} },
		"another margin":  func(e *Experiment) { e.Rule.Margin = 0.1 },
		"another load":    func(e *Experiment) { e.Load = []string{"ladder"} },
		"a planted arm":   func(e *Experiment) { e.Arms = []Arm{e.Arms[0], {Name: "B", Side: "B", Planted: 0.1}} },
	} {
		e := gate()
		change(&e)
		l := newLab()
		_, err := l.run(t, dir, e)
		require.ErrorIs(t, err, ErrOther, name)
		require.Empty(t, l.done, name)
	}
}

// What is no comparison of two programs on one machine ends the experiment.
func TestSegmentsThatDoNotFit(t *testing.T) {
	for want, change := range map[string]func(Arm, *Segment){
		"the model differs: m and n": func(a Arm, s *Segment) {
			if a.Name == "B" {
				s.Model = "n"
			}
		},
		"the threads differs: 1 and 2": func(a Arm, s *Segment) {
			if a.Name == "B" {
				s.Threads = "2"
			}
		},
		`arm A was slowed by "0.1" and should have been by ""`: func(a Arm, s *Segment) { s.Planted = "0.1" },
	} {
		l := newLab()
		l.change = change
		run, err := l.run(t, filepath.Join(t.TempDir(), "gate"), gate())
		require.ErrorContains(t, err, want)
		require.Empty(t, run.Blocks)
	}
	l := newLab()
	l.change = func(a Arm, s *Segment) { s.Planted = "" }
	e := gate()
	e.Arms = slices.Clone(e.Arms)
	e.Arms[1].Planted = 0.1
	require.True(t, e.Proof())
	_, err := l.run(t, filepath.Join(t.TempDir(), "gate"), e)
	require.ErrorContains(t, err, `arm B was slowed by "" and should have been by "0.1"`, "a program that does not know how")
}

// Work that was not equal is kept as it is, and is no pass.
func TestUnequalWorkIsNoPass(t *testing.T) {
	l := newLab()
	l.seconds["B"] = 0.5
	l.change = func(a Arm, s *Segment) {
		if a.Name == "B" {
			s.Completed = 8
		}
	}
	run, err := l.run(t, filepath.Join(t.TempDir(), "gate"), gate())
	require.NoError(t, err)
	j := run.Rule.JudgePairs(run.Pairs(run.Blocks, "B"))
	require.Equal(t, paired.Inconclusive, j.Verdict)
	require.Equal(t, "pair 1 is not equal work: B answered 8 of 9 requests", j.Reason)
}

func TestExperimentCheck(t *testing.T) {
	for want, change := range map[string]func(*Experiment){
		"two arms or more":                func(e *Experiment) { e.Arms = e.Arms[:1] },
		"needs a tape":                    func(e *Experiment) { e.Tapes = nil },
		"4 pairs are too few":             func(e *Experiment) { e.Blocks, e.Gate = 4, 4 },
		"8 blocks are less":               func(e *Experiment) { e.Gate = 9 },
		`arm B is of side "B"`:            func(e *Experiment) { e.Sides = map[string]Side{"A": {}} },
		"margin 2: give a share above 0 ": func(e *Experiment) { e.Rule.Margin = 2 },
	} {
		e := gate()
		change(&e)
		l := newLab()
		_, err := l.run(t, filepath.Join(t.TempDir(), "gate"), e)
		require.ErrorContains(t, err, want)
		require.Empty(t, l.done)
	}
}
