package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/outline"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// mine is a ladder file with a step that changes nothing and one that changes two things.
const mine = `name: mine
description: a test
rungs:
  - name: low
    adds: the baseline
    scheduler: {max_batch: 4, refill: true}
  - name: same
    adds: nothing really
    from: low
    scheduler: {step_tokens: 512}
  - name: high
    adds: a floor and another order
    from: same
    scheduler: {order: edf, patience: 2s, floors: {shared: 0.3}}
    kv: {paged: true, prefix: true}
`

func TestLadderListAndCheck(t *testing.T) {
	file := write(t, "mine.yaml", mine)
	for name, args := range map[string][]string{
		"list.txt":          {"list"},
		"check-cadence.txt": {"check", "cadence"},
		"check-kv.txt":      {"check", "kv"},
		"check-arms.txt":    {"check", "arms"},
		"check-mine.txt":    {"check", file},
	} {
		got := execute(t, t.Context(), append([]string{"ladder"}, args...)...)
		require.Equal(t, exitOK, got.code, got.stderr)
		require.Empty(t, got.stderr)
		golden.Equal(t, "ladders/"+name, got.stdout)
	}
}

func TestLadderPlan(t *testing.T) {
	begin := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	auto, err := ladder.Preset("quick")
	require.NoError(t, err)
	fixed, err := ladder.Preset("cadence")
	require.NoError(t, err)
	fixed.Rates, fixed.Rungs = []float64{0.5, 2}, []string{"paged", "optimistic"}
	fixed.Ladder, err = spec.Open("kv")
	require.NoError(t, err)
	repeated := auto
	repeated.Rates, repeated.Rungs, repeated.Repeats = []float64{1}, []string{"fifo", "prefix"}, ladder.Repeats{Replicates: 2, Anchor: "prefix"}
	for name, tt := range map[string]struct {
		cfg       ladder.Config
		simulated bool
	}{"plan-repeats.txt": {repeated, false}, "plan-auto.txt": {auto, false}, "plan-kv.txt": {fixed, false}, "plan-twin.txt": {fixed, true}} {
		var out bytes.Buffer
		require.NoError(t, outline.Plan(&out, tt.cfg, begin, tt.simulated))
		golden.Equal(t, "ladders/"+name, out.String())
	}
}

// TestPlanIsWhatIsMeasured: the same flags give the cells of the plan, in its order, and
// plan leaves nothing behind.
func TestPlanIsWhatIsMeasured(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	args := simulated(out, "--ladder", write(t, "mine.yaml", mine), "--rungs", "low,high")
	plan := append(append(args[:3:3], "plan"), args[3:]...)
	got := execute(t, t.Context(), plan...)
	require.Equal(t, exitOK, got.code, got.stderr)
	require.NoDirExists(t, out)
	require.Equal(t, exitOK, execute(t, t.Context(), args...).code)
	run, err := results.OpenRun(out)
	require.NoError(t, err)
	var cells []string
	for line := range strings.Lines(got.stdout) {
		if words := strings.Fields(line); len(words) == 5 && (words[1] == "low" || words[1] == "high") {
			cells = append(cells, strings.Join(words[1:4], " "))
		}
	}
	require.Len(t, cells, len(run.Manifest.Plan))
	for i, key := range run.Manifest.Plan {
		require.Equal(t, key.Rung, strings.Fields(cells[i])[0])
		require.Contains(t, key.Name(), strings.Fields(cells[i])[1])
	}
}

// TestResumeKeepsTheLadder: a resumed run has the rungs that it was started with, whatever
// has become of the file.
func TestResumeKeepsTheLadder(t *testing.T) {
	for name, spoil := range map[string]func(file string) error{
		"removed": os.Remove,
		"changed": func(file string) error {
			return os.WriteFile(file, []byte(strings.Replace(mine, "max_batch: 4", "max_batch: 1", 1)), 0o644)
		},
		"broken": func(file string) error { return os.WriteFile(file, []byte("rungs"), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			file, out := write(t, "mine.yaml", mine), filepath.Join(t.TempDir(), "run")
			got := execute(t, t.Context(), simulated(out, "--ladder", file)...)
			require.Equal(t, exitOK, got.code, got.stderr)
			all := func(name string) bool { return name != "manifest.json" }
			want := files(t, out, all)
			run, err := results.OpenRun(out)
			require.NoError(t, err)
			require.Equal(t, "mine", run.Manifest.Params["ladder"])
			require.Equal(t, mine, run.Manifest.Params["ladder_text"])
			require.Equal(t, results.HashBytes([]byte(mine)), run.Manifest.Params["ladder_sha256"])

			lines := strings.SplitAfter(want["journal.jsonl"], "\n")
			require.NoError(t, os.WriteFile(filepath.Join(out, "journal.jsonl"), []byte(strings.Join(lines[:5], "")), 0o644))
			for name := range want {
				if strings.HasPrefix(name, "cells/") && name > "cells/005" {
					require.NoError(t, os.Remove(filepath.Join(out, name)))
				}
			}
			require.NoError(t, spoil(file))
			resumed := execute(t, t.Context(), "ladder", "--out", out, "--resume", "--calibration", handMade)
			require.Equal(t, exitOK, resumed.code, resumed.stderr)
			require.Contains(t, resumed.stderr, "5 of them already measured")
			require.Equal(t, want, files(t, out, all))

			other := execute(t, t.Context(), "ladder", "--out", out, "--resume", "--ladder", "kv")
			require.Equal(t, exitInput, other.code)
			require.Contains(t, other.stderr, "--ladder: a resumed run keeps the parameters")

			report := execute(t, t.Context(), "report", out)
			require.Equal(t, exitOK, report.code, report.stderr)
		})
	}
}

// TestBadLadderIsOneLine: a mistake in a ladder is one line, before anything is measured.
func TestBadLadderIsOneLine(t *testing.T) {
	bad := write(t, "bad.yaml", strings.Replace(mine, "max_batch: 4", "max_bach: 4", 1))
	good := write(t, "good.yaml", mine)
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"check of nothing":     {[]string{"check"}, "accepts 1 arg(s), received 0"},
		"check of the unknown": {[]string{"check", "cadense"}, `did you mean "cadence"?`},
		"check of a folder":    {[]string{"check", t.TempDir()}, "is a folder"},
		"check of a mistake":   {[]string{"check", bad}, `bad.yaml:6: rung "low"'s scheduler has no key "max_bach": did you mean "max_batch"?`},
		"ladder of a mistake":  {[]string{"--ladder", bad}, "bad.yaml:6: "},
		"plan of a mistake":    {[]string{"plan", "--ladder", bad}, "bad.yaml:6: "},
		"rung of another":      {[]string{"--ladder", good, "--rungs", "fifo"}, `unknown rung "fifo": choose from low, same, high`},
		"target named alike":   {[]string{"--ladder", good, "--target", "high=http://h"}, `the name "high" is taken`},
		"knob against a rung":  {[]string{"--ladder", good, "--prefill-budget", "2"}, "rung low: policy: step tokens is 2"},
		"plan of a resumed":    {[]string{"plan", "--resume", "--out", "x"}, "--resume: a plan is of a run that is not begun"},
		"list of something":    {[]string{"list", "kv"}, `unknown command "kv"`},
		"misspelt subcommand":  {[]string{"chek", "kv"}, `unknown command "chek"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, t.Context(), append([]string{"ladder"}, tt.args...)...)
			require.Equal(t, exitInput, got.code, got.stderr)
			require.Contains(t, got.stderr, tt.want)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
			require.Empty(t, got.stdout)
		})
	}
}
