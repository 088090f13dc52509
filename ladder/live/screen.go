package live

import (
	"io"
	"os"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// screen keeps a block of lines at the end of a terminal's output and draws it again in
// place. It changes no mode of the terminal, so that there is nothing to restore when the
// process dies. Every change is one write, which the terminal is asked to show at once:
// nothing flickers.
type screen struct {
	w     io.Writer
	size  func() (width, height int)
	block []string // as it was last drawn
}

// terminal returns a screen if w is one that can draw, else nil.
func terminal(w io.Writer) *screen {
	f, ok := w.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) || !draws(os.Getenv("TERM"), runtime.GOOS) {
		return nil
	}
	return &screen{w: w, size: func() (int, int) {
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			return 80, 24
		}
		return width, height
	}}
}

// draws says whether a terminal of this kind obeys escapes: one that calls itself dumb, as
// those of editors and logs do, would show them. Only Windows has terminals without a kind.
func draws(kind, system string) bool {
	switch kind {
	case "dumb", "unknown", "emacs":
		return false
	case "":
		return system == "windows"
	}
	return true
}

const (
	startOfUpdate = "\x1b[?2026h" // the terminal shows what follows at once; one that cannot ignores it
	endOfUpdate   = "\x1b[?2026l"
	restOfLine    = "\x1b[K"
	restOfScreen  = "\x1b[J"
	lineUp        = "\x1b[A"
)

// show prints lines that stay and below them draws the block, in place of the one
// before. Lines of the block do not wrap: the caller made them to fit.
func (s *screen) show(stay, block []string) {
	var b strings.Builder
	b.WriteString(startOfUpdate + s.home())
	for _, l := range stay {
		b.WriteString(l + restOfLine + "\r\n")
	}
	for i, l := range block {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(l + restOfLine)
	}
	b.WriteString(restOfScreen + endOfUpdate)
	io.WriteString(s.w, b.String())
	s.block = block
}

// home leads to the start of the block. Where the terminal has become narrower its lines
// have wrapped.
func (s *screen) home() string {
	width, _ := s.size()
	rows := 0
	for _, l := range s.block {
		rows += max(1, (utf8.RuneCountInString(l)+width-1)/width)
	}
	return strings.Repeat(lineUp, max(0, rows-1)) + "\r"
}
