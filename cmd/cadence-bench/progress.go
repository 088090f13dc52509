package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/results"
)

// progress shows a sweep to a person: one line that is rewritten in place on a
// terminal, and one plain line per finished cell in any case.
type progress struct {
	w     io.Writer
	live  bool // w is a terminal
	width func() int
	now   func() time.Time
	// simulated time passes in the cells, several of which run at once.
	simulated bool

	plan     []results.Key
	cfg      ladder.Config
	begun    time.Time // when the plan was given
	lastEnd  time.Time // when a cell was over, or the plan was given
	left     int       // cells not yet measured
	measured int       // cells measured now
	drawn    bool
	drawnAt  time.Time
}

// drawEvery is how often the live line is rewritten at most: a simulation has
// thousands of ticks a second.
const drawEvery = 100 * time.Millisecond

var _ ladder.Progress = (*progress)(nil)

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, now: time.Now, width: func() int { return 80 }}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.live = true
		p.width = func() int {
			if width, _, err := term.GetSize(int(f.Fd())); err == nil {
				return width
			}
			return 80
		}
	}
	return p
}

// line prints a line for good, above the one that is rewritten.
func (p *progress) line(format string, args ...any) {
	p.erase()
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// Note implements ladder.Progress.
func (p *progress) Note(text string) { p.line("%s", text) }

// Plan implements ladder.Progress.
func (p *progress) Plan(cells []results.Key, done int, cfg ladder.Config) {
	p.plan, p.cfg, p.left = cells, cfg, len(cells)-done
	p.begun = p.now()
	p.lastEnd = p.begun
	already := ""
	if done > 0 {
		already = fmt.Sprintf(", %d of them already measured", done)
	}
	long := "; about " + p.remaining().Round(time.Minute).String()
	if p.simulated {
		long = ", simulated"
	}
	p.line("%d cells%s: %s at %s requests/s, %d seed(s), %v of arrivals each; SLO %v%s",
		len(cells), already, strings.Join(cfg.Rungs, ", "), cfg.Params()["rates"], len(cfg.Seeds), cfg.Duration, cfg.SLO, long)
}

// remaining estimates what is left from the cells measured so far, or before the
// first one from the length of a cell and half of a client's patience to drain.
func (p *progress) remaining() time.Duration {
	per := p.cfg.CellTime()
	if p.measured > 0 {
		per = p.lastEnd.Sub(p.begun) / time.Duration(p.measured)
	}
	return per*time.Duration(p.left) - min(p.now().Sub(p.lastEnd), per)
}

// Begin implements ladder.Progress.
func (p *progress) Begin(int) {}

// Tick implements ladder.Progress.
func (p *progress) Tick(order int, s ladder.Status) {
	now := p.now()
	if !p.live || now.Sub(p.drawnAt) < drawEvery {
		return
	}
	p.drawnAt = now
	text := fmt.Sprintf("%s  %d/%d sent, %d running, %d queued, %d finished  %s, %s left",
		p.label(order), s.Sent, s.Arrivals, s.Running, s.Queued, s.Finished,
		now.Sub(p.begun).Round(time.Second), p.remaining().Round(time.Second))
	if width := p.width(); len(text) >= width && width > 0 {
		text = text[:width-1]
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", text)
	p.drawn = true
}

// End implements ladder.Progress.
func (p *progress) End(order int, cell results.Cell, records []results.Record) {
	took := p.over()
	m := analysis.Measure(cell, records, analysis.Options{})
	verdict := ""
	if !m.Valid() {
		verdict = "  INVALID: " + m.Invalid[0].Text
	}
	lasted := took.Round(time.Second).String()
	if p.simulated {
		lasted = fmt.Sprintf("%.0fs simulated", cell.EndedS)
	}
	p.line("%s  %3d requests  goodput %s/s  E2E p50 %s p99 %s  %s%s", p.label(order), m.Arrivals,
		number(m.GoodputRPS), latency(m.E2E.P50), latency(m.E2E.P99), lasted, verdict)
}

// Failed implements ladder.Progress.
func (p *progress) Failed(order int, err error) {
	p.over()
	p.line("%s  FAILED: %v", p.label(order), err)
}

// over counts a cell that has ended and returns how long ago the one before it did.
func (p *progress) over() time.Duration {
	now := p.now()
	took := now.Sub(p.lastEnd)
	p.lastEnd = now
	p.left--
	p.measured++
	return took
}

func (p *progress) label(order int) string {
	key := p.plan[order]
	return fmt.Sprintf("[%*d/%d] %-10s %4g rps seed %d", len(fmt.Sprint(len(p.plan))), order+1, len(p.plan), key.Rung, key.OfferedRPS, key.Seed)
}

func number(v results.Opt[float64]) string {
	if !v.OK {
		return "-"
	}
	return fmt.Sprintf("%.2f", v.V)
}

func latency(q analysis.Quantile) string {
	switch {
	case q.N == 0:
		return "-"
	case q.Censored:
		return fmt.Sprintf(">%.2fs", q.Value)
	}
	return fmt.Sprintf("%.2fs", q.Value)
}
