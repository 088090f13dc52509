package text

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/loadgen/random"
)

// words returns the distinct words of s without punctuation.
func words(s string) map[string]int {
	m := map[string]int{}
	for _, w := range strings.Fields(s) {
		if w = strings.Trim(w, `.,;:?"()`); w != "" {
			m[w]++
		}
	}
	return m
}

func TestSharedPromptsAreDistinctAndLong(t *testing.T) {
	firsts := map[string]bool{}
	for _, p := range Shared() {
		n := Words(p.System)
		require.True(t, n >= 390 && n <= 520, "%d words", n)
		require.NotEmpty(t, english()[p.Turns])
		firsts[strings.Fields(p.System)[0]] = true
	}
	require.Len(t, firsts, 4, "shared prompts must differ from the first word on")
}

func TestGeneratedPromptLength(t *testing.T) {
	r := random.Stream(1, "test")
	for range 300 {
		want := MinWords + r.IntN(MaxWords-MinWords)
		s := SystemPrompt(r, want)
		got := Words(s)
		require.True(t, got >= want && got < want+40, "asked for %d words, got %d", want, got)
		require.True(t, utf8.ValidString(s))
		require.NotContains(t, s, "{")
		require.NotContains(t, s, "  ")
	}
}

func TestGeneratedPromptReadsLikeEnglish(t *testing.T) {
	r := random.Stream(2, "test")
	for range 50 {
		s := SystemPrompt(r, MeanWords)
		require.Greater(t, len(words(s)), 200, "distinct words")
		for _, paragraph := range strings.Split(s, "\n") {
			require.NotEmpty(t, paragraph)
			require.Equal(t, strings.ToUpper(paragraph[:1]), paragraph[:1])
			require.Contains(t, ".?", paragraph[len(paragraph)-1:])
		}
	}
}

func TestUserTurnLength(t *testing.T) {
	r := random.Stream(3, "test")
	slots := []string{OwnTurns}
	for _, p := range Shared() {
		slots = append(slots, p.Turns)
	}
	seen := map[string]bool{}
	for _, slot := range slots {
		sum := 0
		for range 400 {
			s := UserTurn(r, slot)
			n := Words(s)
			require.True(t, n >= 18 && n <= 65, "%d words: %s", n, s)
			require.False(t, seen[s], s)
			seen[s] = true
			sum += n
		}
		require.InDelta(t, 35, float64(sum)/400, 5, slot)
	}
}

func TestCorpus(t *testing.T) {
	c := Corpus()
	require.Equal(t, c, Corpus())
	require.True(t, len(c) > 1_000_000 && len(c) < 1_500_000, "%d bytes", len(c))
	distinct := words(c)
	repeated := 0
	for _, n := range distinct {
		if n >= 5 {
			repeated++
		}
	}
	t.Logf("%d bytes, %d distinct words, %d of them at least five times", len(c), len(distinct), repeated)
	require.Greater(t, repeated, 4000)
	for _, p := range Shared() {
		require.Contains(t, c, p.System)
	}
}

func TestInflect(t *testing.T) {
	for _, c := range []struct{ word, form, want string }{
		{"cable", "", "cable"},
		{"cable", "s", "cables"}, {"branch", "s", "branches"}, {"copy", "s", "copies"}, {"delay", "s", "delays"}, {"tax", "s", "taxes"},
		{"check", "ed", "checked"}, {"store", "ed", "stored"}, {"copy", "ed", "copied"}, {"convey", "ed", "conveyed"},
		{"check", "ing", "checking"}, {"store", "ing", "storing"}, {"copy", "ing", "copying"}, {"guarantee", "ing", "guaranteeing"},
		{"cable", "a", "a cable"}, {"outage", "a", "an outage"}, {"hour", "a", "an hour"}, {"uniform", "a", "a uniform"},
		{"unintended", "a", "an unintended"}, {"useful", "a", "a useful"}, {"urban", "a", "an urban"}, {"house", "a", "a house"},
	} {
		require.Equal(t, c.want, inflect(c.word, c.form), c.word+":"+c.form)
	}
}

func TestGrammarErrors(t *testing.T) {
	for _, c := range []struct{ words, templates, want string }{
		{"[a]\nx y", "[s]\n{a} {b}", `no alternatives for {b}`},
		{"[a]\nx", "[s]\n{a", "without a closing brace"},
		{"[a]\nx", "[s]\n{a:es}", `unknown form "es"`},
		{"[a]\nx", "[s]\n{#9-2}", "want a range"},
		{"[a]\nx", "[s]\n{#x-2}", "want a range"},
		{"[a]\nx", "[a]\ny", `line 1: section "a" occurs twice`},
	} {
		_, err := parseGrammar(c.words, c.templates)
		require.ErrorContains(t, err, c.want)
	}
}

func TestKeptSlotStaysTheSame(t *testing.T) {
	g, err := parseGrammar("[a]\n1 2 3 4 5 6 7 8 9", "[s]\n{$a}{$a}")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		s := newWriter(g, r).draw("s")
		require.Equal(t, s[:1], s[1:])
	}
}
