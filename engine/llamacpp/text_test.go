package llamacpp_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/stretchr/testify/require"
)

func TestTextRoundTrip(t *testing.T) {
	m := llamatest.Open(t)
	for _, s := range []string{
		"", " ", "  two  spaces  ", "Hello, world!", "tabs\tand\nlines\r\n\n\n", "naïve café — “quotes”",
		"日本語の文章と中文字符", "🙂👩‍👩‍👧‍👦🏳️‍🌈", "नमस्ते مرحبا שלום", "a\x00b\x00", "\x00", "x²≠∑∫", strings.Repeat("word ", 3000),
		"<|im_start|>user", "\u200b\ufeff\u2028",
	} {
		toks, err := m.Tokenize(s, false)
		require.NoError(t, err, "%q", s)
		require.Equal(t, s, m.Detokenize(toks))
		_, err = m.Tokenize(s, true)
		require.NoError(t, err)
	}
}

// FuzzText feeds any bytes. Those that are not UTF-8 need not come back, but
// nothing may fail.
func FuzzText(f *testing.F) {
	f.Add("\xff\xfe\x80 broken \xc3")
	f.Add("\xed\xa0\x80\xf4\x90\x80\x80")
	f.Add("\x00\x00")
	f.Add("<|im_end|>🙂")
	f.Fuzz(func(t *testing.T, s string) {
		m := llamatest.Open(t)
		toks, err := m.Tokenize(s, false)
		require.NoError(t, err)
		for _, tok := range toks {
			require.True(t, tok >= 0 && int(tok) < m.Info().Vocab)
		}
		back := m.Detokenize(toks)
		if utf8.ValidString(s) {
			require.Equal(t, s, back)
		}
		_, err = m.Tokenize(s, true)
		require.NoError(t, err)
		require.NotEmpty(t, m.Chat(s, s))
	})
}

func TestSpecialTokens(t *testing.T) {
	m := llamatest.Open(t)
	prompt := m.Chat("Be brief.", "Hi")
	require.Contains(t, prompt, "Be brief.")
	require.Contains(t, prompt, "Hi")
	plain, err := m.Tokenize(prompt, false)
	require.NoError(t, err)
	special, err := m.Tokenize(prompt, true)
	require.NoError(t, err)
	require.Less(t, len(special), len(plain), "control tokens are one token each")
	require.NotContains(t, m.Chat("", "Hi"), "system")
	require.Equal(t, "sys\x00\n\nHi\n\n", m.Chat("sys\x00", "Hi"), "the plain form")

	ends := 0
	for tok := range m.Info().Vocab {
		if m.EOG(engine.Token(tok)) {
			ends++
		}
	}
	require.Positive(t, ends)
	require.False(t, m.EOG(-1))
	require.False(t, m.EOG(engine.Token(m.Info().Vocab)))
	require.Equal(t, "\uFFFD\uFFFD", m.Detokenize([]engine.Token{-1, engine.Token(m.Info().Vocab)}))
}
