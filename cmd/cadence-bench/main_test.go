package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
)

// output is what a command line printed and how it ended.
type output struct {
	stdout, stderr string
	code           int
}

// repoCache is the repository's cache. It is found before any test changes the working
// folder.
var repoCache, errRepoCache = llamatest.Cache()

// execute runs one command line as the program does, with the repository's cache.
func execute(t *testing.T, ctx context.Context, args ...string) output {
	t.Helper()
	require.NoError(t, errRepoCache)
	var stdout, stderr bytes.Buffer
	code := exitCode(&stderr, run(ctx, &stdout, &stderr, append([]string{"--cache", repoCache}, args...)))
	return output{stdout.String(), stderr.String(), code}
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// TestBadInputIsOneLine: every mistake is one line that says what is wrong, with
// its documented exit code, before anything is measured.
func TestBadInputIsOneLine(t *testing.T) {
	notModel := write(t, "page.gguf", "<!DOCTYPE html>")
	taken := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(taken, "manifest.json"), []byte("{}"), 0o644))
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"unknown command":        {[]string{"lader"}, exitInput, "unknown command"},
		"unknown flag":           {[]string{"ladder", "--rate", "1"}, exitInput, "unknown flag: --rate"},
		"stray argument":         {[]string{"ladder", "quick"}, exitInput, "quick"},
		"unknown preset":         {[]string{"ladder", "--preset", "quik"}, exitInput, `did you mean "quick"?`},
		"unknown rung":           {[]string{"ladder", "--rungs", "contnuous"}, exitInput, `did you mean "continuous"?`},
		"rate not a number":      {[]string{"ladder", "--rates", "1,x"}, exitInput, `--rates: "x" is not a number`},
		"rate zero":              {[]string{"ladder", "--rates", "0"}, exitInput, "--rates: 0 is not a rate"},
		"rate infinite":          {[]string{"ladder", "--rates", "Inf"}, exitInput, "--rates: +Inf is not a rate"},
		"duration without unit":  {[]string{"ladder", "--duration", "30"}, exitInput, "--duration"},
		"duration negative":      {[]string{"ladder", "--duration", "-3s"}, exitInput, "--duration: -3s is out of range"},
		"seed negative":          {[]string{"ladder", "--seeds", "-1"}, exitInput, `--seeds: "-1" is not a seed`},
		"SLO without unit":       {[]string{"ladder", "--slo", "2"}, exitInput, `--slo: "2" is not a duration`},
		"unknown workload":       {[]string{"ladder", "--workload", "unifrm", "--rates", "1", "--slo", "2s"}, exitInput, `did you mean "uniform"?`},
		"unknown parameter":      {[]string{"ladder", "--workload", "bimodal:shor=3"}, exitInput, `did you mean "short"?`},
		"unknown arrivals":       {[]string{"ladder", "--arrivals", "posson"}, exitInput, `did you mean "poisson"?`},
		"arrivals out of range":  {[]string{"ladder", "--arrivals", "gamma:burstiness=0"}, exitInput, "burstiness=0: give a number"},
		"step after the end":     {[]string{"ladder", "--arrivals", "step:at=1h,to=2", "--rates", "1"}, exitInput, "at=1h0m0s is not within the duration"},
		"missing trace":          {[]string{"ladder", "--workload", "trace:nowhere.csv"}, exitInput, "nowhere.csv"},
		"trace that is a page":   {[]string{"ladder", "--workload", "trace:" + notModel}, exitInput, "cannot tell its format"},
		"tape without a rate":    {[]string{"tape", "make", "--out", "x.jsonl"}, exitInput, "--rate: give requests per second"},
		"tape rate not a number": {[]string{"tape", "make", "--rate", "x", "--out", "x.jsonl"}, exitInput, `--rate: "x"`},
		"tape of no format":      {[]string{"tape", "make", "--rate", "1", "--out", "x.csv"}, exitInput, "ends in .jsonl or .parquet"},
		"tape of no duration":    {[]string{"tape", "make", "--rate", "1", "--duration", "0s", "--out", "x.jsonl"}, exitInput, "duration 0s"},
		"no tape":                {[]string{"tape", "hash"}, exitInput, "name a tape"},
		"tape that is a page":    {[]string{"tape", "inspect", notModel}, exitInput, "page.gguf"},
		"tape that is not there": {[]string{"tape", "inspect", "nowhere.jsonl"}, exitInput, "nowhere.jsonl"},
		"unknown KV layout":      {[]string{"ladder", "--kv-layout", "paged"}, exitInput, `--kv-layout: unknown layout "paged"`},
		"unknown attention":      {[]string{"ladder", "--flash-attn", "maybe"}, exitInput, `--flash-attn: flash attention "maybe": want auto, on or off`},
		"canonical unified":      {[]string{"ladder", "--canonical", "--kv-layout", "unified"}, exitInput, "--canonical: needs --kv-layout streams"},
		"no replicates":          {[]string{"ladder", "--replicates", "0"}, exitInput, "--replicates: 0 is out of range"},
		"too many replicates":    {[]string{"ladder", "--replicates", "1000"}, exitInput, "--replicates: 1000 is out of range; give 1 to 100"},
		"unknown anchor":         {[]string{"ladder", "--anchor", "prefx"}, exitInput, `--anchor: unknown rung "prefx": did you mean "prefix"?`},
		"anchor not measured":    {[]string{"ladder", "--rungs", "fifo", "--anchor", "prefix"}, exitInput, `--anchor: unknown rung "prefix": choose from fifo`},
		"mixing a new run":       {[]string{"ladder", "--allow-mixed"}, exitInput, "--allow-mixed: only --resume can mix"},
		"resume of nothing":      {[]string{"ladder", "--resume"}, exitInput, "--resume: name the run"},
		"resume of no run":       {[]string{"ladder", "--resume", "--out", t.TempDir()}, exitInput, "is not a run"},
		"target without scheme":  {[]string{"ladder", "--target", "localhost:8080"}, exitInput, "--target: \"localhost:8080\" is not the address of a server"},
		"target with a password": {[]string{"ladder", "--target", "a=http://me:pw@h"}, exitInput, "CADENCE_API_KEY"},
		"target named as a rung": {[]string{"ladder", "--target", "fifo=http://h"}, exitInput, `the name "fifo" is taken`},
		"target name":            {[]string{"ladder", "--target", "a b=http://h"}, exitInput, `"a b" is not a name`},
		"unknown API":            {[]string{"ladder", "--target", "a=http://h", "--api", "openai"}, exitInput, `--api: unknown API "openai"`},
		"unknown length":         {[]string{"ladder", "--target", "a=http://h", "--target-length", "x"}, exitInput, "--target-length"},
		"token ids to chat":      {[]string{"ladder", "--target", "a=http://h", "--token-ids"}, exitInput, "--token-ids: the chat API takes no token ids"},
		"nothing to measure":     {[]string{"ladder", "--rungs", "none"}, exitInput, "give a --target"},
		"nothing to choose from": {[]string{"ladder", "--rungs", "none", "--target", "a=http://h"}, exitInput, "give --rates and --slo"},
		"target not there":       {[]string{"ladder", "--rungs", "none", "--target", "a=" + nobody(t), "--rates", "1", "--slo", "1s", "--out", t.TempDir()}, exitEngine, "cannot be reached: connection refused"},
		"target of another API":  {[]string{"ladder", "--rungs", "none", "--target", "a=" + empty(t), "--rates", "1", "--slo", "1s", "--out", t.TempDir()}, exitEngine, "HTTP 404 Not Found: 404 page not found; is it another --api?"},
		"missing model":          {[]string{"ladder", "--model", "nowhere.gguf"}, exitEngine, "nowhere.gguf"},
		"model that is a page":   {[]string{"ladder", "--model", notModel}, exitEngine, "page.gguf"},
		"missing library":        {[]string{"--lib", t.TempDir(), "engine", "check"}, exitEngine, ""},
		"calibrate a page":       {[]string{"calibrate", "--out", t.TempDir(), "--model", notModel}, exitEngine, "page.gguf"},
		"inspect nothing":        {[]string{"model", "inspect", "nowhere.gguf"}, exitEngine, "nowhere.gguf"},
		"unknown shape":          {[]string{"model", "synth", "--shape", "qwen2.5-0.5"}, exitInput, "qwen2.5-0.5b"},
		"unknown type":           {[]string{"model", "synth", "--type", "Q3"}, exitInput, "--type"},
		"report of nothing":      {[]string{"report", "nowhere"}, exitInput, "nowhere"},
		"report of a broken run": {[]string{"report", taken}, exitInput, "manifest.json"},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, t.Context(), tt.args...)
			require.Equal(t, tt.code, got.code, got.stderr)
			require.Contains(t, got.stderr, tt.want)
			require.Equal(t, 1, strings.Count(unwarned(got.stderr), "\n"), "one line: %s", got.stderr)
			require.Empty(t, got.stdout)
		})
	}
}

// documented returns the command lines in the examples of every command and in
// the documents.
func documented(t *testing.T, root *cobra.Command) map[string]string {
	lines := map[string]string{}
	add := func(where, text string) {
		text = continued.ReplaceAllString(text, " ")
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			line = strings.TrimPrefix(strings.TrimPrefix(line, "$ "), "bin/")
			line, _, _ = strings.Cut(line, "  ") // an example's explanation
			line, _, _ = strings.Cut(line, " #")
			if strings.HasPrefix(line, "cadence-bench ") {
				lines[line] = where
			}
		}
	}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		add("help of "+c.CommandPath(), c.Example)
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
	docs, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, doc := range append(docs, "../../README.md") {
		if filepath.Base(doc) == "commands.md" {
			continue // it is what --help prints: usage lines, and the examples that are added above
		}
		data, err := os.ReadFile(doc)
		require.NoError(t, err)
		add(doc, string(data))
	}
	return lines
}

// continued is where a command goes on in the next line.
var continued = regexp.MustCompile(`\\\n\s*`)

// words splits a command line as a shell does, with what is in quotes as one.
func words(line string) (words []string) {
	for _, w := range word.FindAllString(line, -1) {
		words = append(words, strings.ReplaceAll(w, `"`, ""))
	}
	return words
}

var word = regexp.MustCompile(`(?:"[^"]*"|[^\s"])+`)

// TestDocumentedCommandsExist: every command line that is shown anywhere names
// commands and flags that exist, with values that they take.
func TestDocumentedCommandsExist(t *testing.T) {
	lines := documented(t, newRoot())
	require.Greater(t, len(lines), 8)
	for line, where := range lines {
		cmd, args, err := newRoot().Find(words(line)[1:])
		require.NoError(t, err, "%s: %s", where, line)
		require.True(t, cmd.Runnable(), "%s: %s", where, line)
		require.NoError(t, cmd.ParseFlags(args), "%s: %s", where, line)
		require.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()), "%s: %s", where, line)
	}
}

// TestEveryCommandHelps: each command that does something shows an example, and
// each flag says what it is.
func TestEveryCommandHelps(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		require.NotEmpty(t, c.Short, c.CommandPath())
		if c.Runnable() {
			require.NotEmpty(t, c.Example, c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { require.NotEmpty(t, f.Usage, "%s --%s", c.CommandPath(), f.Name) })
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
}

// unwarned leaves out the warnings of a busy machine, which a machine that runs tests is.
func unwarned(stderr string) string {
	var kept strings.Builder
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "warning: the load average") && !strings.HasPrefix(line, "warning: another cadence-bench") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
