package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/ladder/baseline"
)

// gateCase is a folder with a baseline of a small ladder, two rates and two seeds.
type gateCase struct{ dir, baseline, ladder string }

// madeBaseline is such a folder; what it holds is written once.
func madeBaseline(t *testing.T) gateCase {
	t.Helper()
	dir := t.TempDir()
	c := gateCase{dir, filepath.Join(dir, "baseline.json"), filepath.Join(dir, "ladder.yaml")}
	ladder, err := os.ReadFile(filepath.Join("..", "..", "ladder", "baseline", "testdata", "ladder.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(c.ladder, ladder, 0o644))
	got := c.run(t, "--rates", "2,4", "--seeds", "1,2", "--duration", "48s", "--slo", "2s", "--update", "--reason", "first")
	require.Equal(t, exitOK, got.code, got.stderr)
	require.Contains(t, got.stdout, "wrote "+c.baseline+": first\n")
	return c
}

func (c gateCase) run(t *testing.T, more ...string) output {
	return execute(t, t.Context(), append([]string{"gate", "--ladder", c.ladder, "--baseline", c.baseline, "--calibration", handMade}, more...)...)
}

// read returns the baseline as it is in its file.
func (c gateCase) read(t *testing.T) gate.Baseline {
	t.Helper()
	data, err := os.ReadFile(c.baseline)
	require.NoError(t, err)
	b, err := gate.Parse(data)
	require.NoError(t, err)
	return b
}

// edited is a copy of the baseline with a change.
func (c gateCase) edited(t *testing.T, change func(*gate.Baseline)) gateCase {
	t.Helper()
	b := c.read(t)
	change(&b)
	data, err := b.Encode()
	require.NoError(t, err)
	lines, err := os.ReadFile(baseline.DecisionsFile(c.baseline))
	require.NoError(t, err)
	c.baseline = filepath.Join(t.TempDir(), "edited.json")
	require.NoError(t, os.WriteFile(c.baseline, data, 0o644))
	require.NoError(t, os.WriteFile(baseline.DecisionsFile(c.baseline), lines, 0o644))
	return c
}

// figure finds one of a baseline.
func figure(t *testing.T, b *gate.Baseline, rung string, rate float64, metric string) *gate.Figure {
	t.Helper()
	for i := range b.Figures {
		if f := &b.Figures[i]; f.Rung == rung && f.RateRPS == rate && f.Metric == metric {
			return f
		}
	}
	require.Fail(t, "no figure "+metric)
	return nil
}

func TestGate(t *testing.T) {
	made := madeBaseline(t)

	t.Run("the unchanged run passes, and says the same every time", func(t *testing.T) {
		first := made.run(t)
		require.Equal(t, exitOK, first.code, first.stderr)
		require.Contains(t, first.stdout, "PASS: 0 of 40 figures are worse than budgeted\n")
		require.Contains(t, first.stdout, "decisions: 8 of 8 cells decide as in the baseline\n")
		require.Empty(t, first.stderr)
		require.Equal(t, first, made.run(t))
		for _, format := range []string{"json", "junit", "markdown"} {
			once := made.run(t, "--format", format)
			require.Equal(t, exitOK, once.code)
			require.Equal(t, once, made.run(t, "--format", format))
		}
	})

	t.Run("worse is a regression, with every file that is asked for", func(t *testing.T) {
		c := made.edited(t, func(b *gate.Baseline) { figure(t, b, "prefix", 4, gate.E2EP99).Value /= 1.2 })
		json, junit, markdown := filepath.Join(c.dir, "g.json"), filepath.Join(c.dir, "g.xml"), write(t, "summary.md", "before\n")
		got := c.run(t, "--json", json, "--junit", junit, "--markdown", markdown)
		require.Equal(t, gate.ExitRegression, got.code)
		require.Equal(t, "cadence-bench: regression: 1 of 40 figures are worse than budgeted\n", got.stderr)
		require.Contains(t, got.stdout, "+20.0%")
		require.Contains(t, got.stdout, "REGRESSION: 1 of 40")
		require.Contains(t, got.stdout, "prefix-4rps-s1\n  Every decision is as before")
		for format, file := range map[string]string{"json": json, "junit": junit, "markdown": markdown} {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, c.run(t, "--format", format).stdout, strings.TrimPrefix(string(data), "before\n"))
		}
	})

	t.Run("better passes", func(t *testing.T) {
		c := made.edited(t, func(b *gate.Baseline) {
			for i := range b.Figures {
				if f := &b.Figures[i]; f.Metric == gate.Goodput || f.Metric == gate.HitRate {
					f.Value /= 3
				} else {
					f.Value *= 3
				}
			}
		})
		require.Equal(t, exitOK, c.run(t).code)
	})

	t.Run("update", func(t *testing.T) {
		c := made.edited(t, func(b *gate.Baseline) { figure(t, b, "prefix", 4, gate.Steps).Value = 1 })
		got := c.run(t, "--update", "--reason", " steps are counted right ")
		require.Equal(t, exitOK, got.code, got.stderr)
		require.Contains(t, got.stdout, "regression: worse than budgeted")
		b := c.read(t)
		require.Len(t, b.History, 2)
		require.Equal(t, "first", b.History[0].Reason)
		require.Equal(t, "steps are counted right", b.History[1].Reason)
		require.Equal(t, made.read(t).Figures, b.Figures)
		require.Equal(t, made.read(t).Decisions, b.Decisions)
		require.Equal(t, exitOK, c.run(t).code)
	})

	t.Run("not measurable", func(t *testing.T) { testNotMeasurable(t, made) })
}

// testNotMeasurable: no comparison is 2 and says why, and so is a wrong command line.
func testNotMeasurable(t *testing.T, made gateCase) {
	other := made
	other.ladder = filepath.Join(t.TempDir(), "other.yaml")
	text, err := os.ReadFile(made.ladder)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(other.ladder, bytes.Replace(text, []byte("name: small"), []byte("name: other"), 1), 0o644))
	missing := made
	missing.baseline = filepath.Join(t.TempDir(), "nothing.json")
	old := made.edited(t, func(*gate.Baseline) {})
	data, err := os.ReadFile(old.baseline)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(old.baseline, []byte(strings.Replace(string(data), `"schema": 1`, `"schema": 0`, 1)), 0o644))

	for name, c := range map[string]struct {
		gateCase
		args []string
		want string
	}{
		"no baseline":    {missing, nil, "there is no baseline: open " + missing.baseline},
		"schema":         {old, nil, "it is of schema 0 and this version reads 1"},
		"calibration":    {made, []string{"--calibration", filepath.Join("..", "..", "results", "calibration", "calibration.json")}, "the baseline is of another calibration: "},
		"ladder":         {other, nil, "the baseline is of another ladder: small, now other"},
		"other rates":    {made, []string{"--rates", "2"}, "the baseline is of another load: "},
		"tape":           {made.edited(t, func(b *gate.Baseline) { b.Provenance.Tapes[0].SHA256 = "0" }), nil, "the baseline is of other tapes"},
		"figure missing": {made.edited(t, func(b *gate.Baseline) { b.Figures = b.Figures[1:] }), nil, "0 of 40 figures are worse than budgeted; 1 cannot be compared"},
		"rate missing": {made.edited(t, func(b *gate.Baseline) {
			b.Figures = withoutRate(b.Figures, 4)
		}), nil, "19 cannot be compared"},
		"void cell":         {made.edited(t, func(b *gate.Baseline) { b.Void = []gate.Void{{Cell: "prefix-4rps-s1", Why: "nothing arrived"}} }), nil, "the baseline's cell prefix-4rps-s1 is void: nothing arrived"},
		"few arrivals then": {made.edited(t, func(b *gate.Baseline) { figure(t, b, "prefix", 4, gate.TTFTP99).N = 9 }), nil, "1 cannot be compared"},
		"few arrivals now":  {missing, []string{"--update", "--reason", "x", "--rates", "2", "--seeds", "1", "--duration", "12s", "--slo", "2s"}, "these figures can be no baseline: p99 E2E of prefix at 2/s: the baseline's value is of "},
		"update, no reason": {made, []string{"--update"}, "--update: say why by --reason"},
		"reason of lines":   {made, []string{"--update", "--reason", "a\nb"}, "--reason: give one line"},
		"reason, no update": {made, []string{"--reason", "a"}, "--reason: only --update takes one"},
		"unknown format":    {made, []string{"--format", "jsn"}, `unknown format "jsn"; did you mean "json"?`},
		"unknown flag":      {made, []string{"--bsaeline", "x"}, "unknown flag: --bsaeline"},
		"stray argument":    {made, []string{"now"}, `unknown command "now"`},
		"rate not a number": {made, []string{"--rates", "x"}, `--rates: "x" is not a number`},
		"folder of another": {made, []string{"--out", filepath.Dir(occupied(t))}, "manifest.json"},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.run(t, c.args...)
			require.Equal(t, gate.ExitNotMeasurable, got.code, got.stdout+got.stderr)
			require.Contains(t, got.stderr, c.want)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"))
			require.NotContains(t, got.stdout, "PASS")
		})
	}
	_, err = os.Stat(missing.baseline)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func withoutRate(figures []gate.Figure, rate float64) (rest []gate.Figure) {
	for _, f := range figures {
		if f.RateRPS != rate {
			rest = append(rest, f)
		}
	}
	return rest
}

// occupied is the manifest of a run that is there.
func occupied(t *testing.T) string { return write(t, "manifest.json", "{}") }

// TestCommittedBaseline: the source and its baseline belong together, and two runs of it
// say the same to the byte.
func TestCommittedBaseline(t *testing.T) {
	baseline := filepath.Join("..", "..", "results", "runs", "gate", "baseline.json")
	got := execute(t, t.Context(), "gate", "--baseline", baseline, "--format", "json")
	require.Equal(t, exitOK, got.code, "%s: a change that is meant to be so takes `cadence-bench gate --update --reason ...`", got.stderr)
	var record struct{ Verdict string }
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &record))
	require.Equal(t, "pass", record.Verdict)
}

// What a ladder file sets is judged: a change of it is no reason not to compare.
func TestGateJudgesTheLadderFile(t *testing.T) {
	c := madeBaseline(t)
	text, err := os.ReadFile(c.ladder)
	require.NoError(t, err)
	write := func(from, to string) {
		changed := bytes.Replace(text, []byte(from), []byte(to), 1)
		require.NotEqual(t, text, changed)
		require.NoError(t, os.WriteFile(c.ladder, changed, 0o644))
	}
	write("description: a ladder", "description: the ladder")
	require.Equal(t, exitOK, c.run(t).code)
	write("max_batch: 8", "max_batch: 1")
	got := c.run(t)
	require.Equal(t, gate.ExitRegression, got.code, got.stdout+got.stderr)
}
