package gguf

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func split(text string) (words []string) {
	splitWords(text, func(w string) { words = append(words, w) })
	return words
}

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		"Hello, world":     {"Hello", ",", " world"},
		"it's we'll don't": {"it", "'s", " we", "'ll", " don", "'t"},
		"a  b":             {"a", " ", " b"},
		"a \n b":           {"a", " \n", " b"},
		"end  ":            {"end", "  "},
		"in 1999.":         {"in", " ", "1", "9", "9", "9", "."},
		"a\tb":             {"a", "\t", "b"},
		"(x) - 日本!":        {"(", "x", ")", " -", " 日本", "!"},
		"'quote' 'S":       {"'", "quote", "'", " '", "S"},
	} {
		require.Equal(t, want, split(text), text)
	}
}

// The rule as a regular expression, but for the look-ahead, which Go's have not.
var (
	number    = regexp.MustCompile(`\p{N}`)
	gpt2      = regexp.MustCompile(`^(?:'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^` + whitespace + `\p{L}\p{N}]+|[` + whitespace + `]+)`)
	onlySpace = regexp.MustCompile(`^[` + whitespace + `]+$`)
)

const whitespace = `\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`

func regexpSplit(text string) (words []string) {
	between := func(part string) {
		for len(part) > 0 {
			w := gpt2.FindString(part)
			if onlySpace.MatchString(w) && len(w) < len(part) && utf8.RuneCountInString(w) > 1 {
				w = strings.TrimSuffix(w, string([]rune(w)[utf8.RuneCountInString(w)-1]))
			}
			words = append(words, w)
			part = part[len(w):]
		}
	}
	at := 0
	for _, m := range number.FindAllStringIndex(text, -1) {
		between(text[at:m[0]])
		words = append(words, text[m[0]:m[1]])
		at = m[1]
	}
	between(text[at:])
	return words
}

func FuzzSplitWords(f *testing.F) {
	for _, s := range []string{"it's 12  o'clock\n\n - yes…", " \t 5", "'re're ''s", "\u3000\u00a0x", "é½x², ", "a\u0301b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, text, strings.Join(split(text), ""))
		if utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl) {
			require.Equal(t, regexpSplit(text), split(text))
		}
	})
}
