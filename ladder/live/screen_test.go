package live

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// emulator is as much of a terminal as a screen uses: what it shows after the bytes that
// it was sent. Lines that scrolled away are kept.
type emulator struct {
	t           *testing.T
	width       int
	rows        [][]rune
	row, column int
	writes      int
}

func (e *emulator) Write(p []byte) (int, error) {
	e.writes++
	text := string(p)
	require.True(e.t, strings.HasPrefix(text, startOfUpdate) && strings.HasSuffix(text, endOfUpdate), "shown at once: %q", text)
	for text != "" {
		switch {
		case strings.HasPrefix(text, startOfUpdate):
			text = text[len(startOfUpdate):]
		case strings.HasPrefix(text, endOfUpdate):
			text = text[len(endOfUpdate):]
		case strings.HasPrefix(text, lineUp):
			require.Positive(e.t, e.row, "above the first line")
			e.row--
			text = text[len(lineUp):]
		case strings.HasPrefix(text, restOfLine):
			e.line()
			e.rows[e.row] = e.rows[e.row][:min(e.column, len(e.rows[e.row]))]
			text = text[len(restOfLine):]
		case strings.HasPrefix(text, restOfScreen):
			e.line()
			e.rows[e.row] = e.rows[e.row][:min(e.column, len(e.rows[e.row]))]
			e.rows = e.rows[:e.row+1]
			text = text[len(restOfScreen):]
		case text[0] == '\r':
			e.column, text = 0, text[1:]
		case text[0] == '\n':
			e.row, text = e.row+1, text[1:]
		default:
			r, n := utf8.DecodeRuneInString(text)
			require.GreaterOrEqual(e.t, r, ' ', "a control character: %q", text)
			e.put(r)
			text = text[n:]
		}
	}
	return len(p), nil
}

func (e *emulator) line() {
	for len(e.rows) <= e.row {
		e.rows = append(e.rows, nil)
	}
}

func (e *emulator) put(r rune) {
	if e.column == e.width {
		e.row, e.column = e.row+1, 0
	}
	e.line()
	for len(e.rows[e.row]) <= e.column {
		e.rows[e.row] = append(e.rows[e.row], ' ')
	}
	e.rows[e.row][e.column] = r
	e.column++
}

// narrow makes the terminal narrower: full lines wrap, as terminals do it, and the
// cursor stays behind the text that it was behind.
func (e *emulator) narrow(width int) {
	var rows [][]rune
	for _, r := range e.rows {
		for len(r) > width {
			rows, r = append(rows, r[:width]), r[width:]
		}
		rows = append(rows, r)
	}
	e.width, e.rows = width, rows
	e.row = len(rows) - 1
	e.column = len(rows[e.row])
}

func (e *emulator) text() string {
	var lines []string
	for _, r := range e.rows {
		lines = append(lines, strings.TrimRight(string(r), " "))
	}
	return strings.Join(lines, "\n")
}

// TestScreen: whatever is printed and drawn, in whatever order, the terminal has the
// lines that stay and below them the last block, and nothing of the blocks before.
func TestScreen(t *testing.T) {
	e := &emulator{t: t, width: 20}
	s := &screen{w: e, size: func() (int, int) { return e.width, 24 }}
	var stay []string
	want := func(block ...string) string { return strings.Join(append(append([]string{}, stay...), block...), "\n") }

	s.show(nil, []string{"one"})
	require.Equal(t, "one", e.text())
	for round := range 6 {
		block := make([]string, 1+(round*2)%4)
		for i := range block {
			block[i] = strings.Repeat(strconv.Itoa(round), 19-3*i)
		}
		s.show(nil, block)
		require.Equal(t, want(block...), e.text())
		stay = append(stay, "cell "+strconv.Itoa(round), "a line that is wider")
		s.show(stay[len(stay)-2:], block)
		require.Equal(t, want(block...), e.text())
	}
	s.show(nil, []string{strings.Repeat("x", 19), strings.Repeat("y", 19), strings.Repeat("z", 5)})
	e.narrow(10)
	s.show(nil, []string{"narrow", "block"})
	require.NotContains(t, e.text(), "xx", "wrapped lines of the block before are gone")
	require.NotContains(t, e.text(), "y")
	require.Contains(t, e.text(), "narrow\nblock")
	s.show(nil, nil)
	require.NotContains(t, e.text(), "narrow")
	require.Equal(t, 0, e.column, "the next output begins a line")
	require.Equal(t, 16, e.writes, "one write for each change")
}

// A terminal that shows escapes instead of obeying them gets plain lines.
func TestTerminalsThatDoNotDraw(t *testing.T) {
	for _, c := range []struct {
		kind, system string
		want         bool
	}{
		{"xterm-256color", "linux", true}, {"linux", "linux", true}, {"", "windows", true}, {"xterm", "windows", true},
		{"dumb", "linux", false}, {"dumb", "windows", false}, {"", "linux", false}, {"", "darwin", false}, {"unknown", "linux", false}, {"emacs", "linux", false},
	} {
		require.Equal(t, c.want, draws(c.kind, c.system), "%q on %s", c.kind, c.system)
	}
}
