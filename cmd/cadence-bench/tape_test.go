package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
)

// TestDocumentedTapeCommandsRun: every tape command that is shown anywhere does
// what it says, the makers first.
func TestDocumentedTapeCommandsRun(t *testing.T) {
	lines := documented(t, newRoot())
	t.Chdir(t.TempDir())
	var tapes []string
	for line := range lines {
		if strings.HasPrefix(line, "cadence-bench tape ") {
			tapes = append(tapes, line)
		}
	}
	require.Greater(t, len(tapes), 4)
	slices.SortFunc(tapes, func(a, b string) int {
		made := func(s string) int { return strings.Index(s, "make") }
		if (made(a) > 0) != (made(b) > 0) {
			return made(b) - made(a)
		}
		return strings.Compare(a, b)
	})
	for _, line := range tapes {
		got := execute(t, t.Context(), strings.Fields(line)[1:]...)
		require.Equal(t, exitOK, got.code, "%s: %s", line, got.stderr)
		require.NotEmpty(t, got.stdout)
	}
}

// One tape has one hash, however it is written and whoever tells it.
func TestTapeCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	made := func(args ...string) (hash string) {
		got := execute(t, t.Context(), append([]string{"tape", "make"}, args...)...)
		require.Equal(t, exitOK, got.code, got.stderr)
		hash, _, _ = strings.Cut(got.stdout, " ")
		require.Len(t, hash, 64)
		return hash
	}
	spec := []string{"--workload", "sessions:turns=3", "--arrivals", "weibull:burstiness=0.6", "--rate", "3", "--seed", "9", "--duration", "20s"}
	hash := made(append(spec, "--out", "a.jsonl")...)
	require.Equal(t, hash, made(append(spec, "--out", "a.parquet")...))
	require.Equal(t, hash, made("--workload", "trace:a.parquet", "--seed", "9", "--duration", "20s", "--out", "b.jsonl"), "at its recorded rate")
	require.NotEqual(t, hash, made("--workload", "trace:a.parquet", "--seed", "9", "--duration", "10s", "--out", "c.jsonl"))

	got := execute(t, t.Context(), "tape", "hash", "a.jsonl", "a.parquet")
	require.Equal(t, fmt.Sprintf("%s  a.jsonl\n%s  a.parquet\n", hash, hash), got.stdout)
	got = execute(t, t.Context(), "tape", "inspect", "a.parquet")
	require.Equal(t, exitOK, got.code)
	for _, want := range []string{"sessions:turns=3, arrivals weibull:burstiness=0.6, seed 9, 20s at 3 requests/s", "coefficient of variation", "index of dispersion", "class later", hash} {
		require.Contains(t, got.stdout, want)
	}
	left, err := filepath.Glob(".*.tmp")
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestProseLength: how far text that is made for a token count is off, with the
// tokenizer of the synthetic models. docs/method.md cites these bounds.
func TestProseLength(t *testing.T) {
	tok := gguf.TrainBPE(text.Corpus(), gguf.Shapes()[0].Vocab)
	for _, c := range []struct {
		tokens, n int
		p95       float64 // of the relative error of single texts
	}{{16, 200, 0.35}, {64, 200, 0.15}, {256, 100, 0.06}, {1024, 50, 0.04}, {4096, 10, 0.03}} {
		load, err := loadgen.OpenLoad(fmt.Sprintf("bimodal:short-prompt=%d,long-prompt=%d", c.tokens, c.tokens), "")
		require.NoError(t, err)
		mean := 0.0
		var off []float64
		for _, r := range load.Sample(c.n, 1).Requests {
			ratio := float64(len(tok.Encode(r.User))) / float64(c.tokens)
			mean += ratio / float64(c.n)
			off = append(off, math.Abs(ratio-1))
		}
		slices.Sort(off)
		p95 := off[int(0.95*float64(c.n-1))]
		t.Logf("%d tokens: mean %.3f of that, 95%% within %.0f%%", c.tokens, mean, 100*p95)
		require.InDelta(t, 1, mean, 0.05, "%d tokens", c.tokens)
		require.LessOrEqual(t, p95, c.p95, "%d tokens", c.tokens)
	}
}

func TestTapeOverAFolderThatIsNotThere(t *testing.T) {
	got := execute(t, t.Context(), "tape", "make", "--rate", "1", "--out", filepath.Join(t.TempDir(), "no", "x.jsonl"))
	require.Equal(t, exitWrite, got.code)
	_, err := os.Stat("x.jsonl")
	require.ErrorIs(t, err, os.ErrNotExist)
}
