package live

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/results"
)

// Progress shows a sweep to a person: a block that is redrawn in place on a terminal,
// and one plain line per finished cell in any case.
type Progress struct {
	w      io.Writer
	screen *screen // nil where there is no terminal
	now    func() time.Time
	// cellOver, if not nil, is called after each cell, before the next one begins.
	cellOver func()

	mu      sync.Mutex // held around board, which a page may ask for too
	board   board
	drawnAt time.Time
}

// drawEvery is how often the block is redrawn at most: a simulation has thousands of
// ticks a second.
const drawEvery = 100 * time.Millisecond

var _ ladder.Progress = (*Progress)(nil)

// NewProgress returns one that writes to w, which may be a terminal.
func NewProgress(w io.Writer) *Progress {
	return &Progress{w: w, now: time.Now, screen: terminal(w)}
}

// Simulated says that the cells are simulated, several of them at once.
func (p *Progress) Simulated() { p.change(func(b *board) { b.Simulated = true }) }

// view is what there is to show now; ok is false before there is a plan.
func (p *Progress) view() (v View, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.board.planned() {
		return View{Head: "preparing"}, false
	}
	return p.board.View(p.now()), true
}

// line prints a line for good, above the block.
func (p *Progress) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.screen == nil {
		fmt.Fprintln(p.w, text)
		return
	}
	p.screen.show(strings.Split(text, "\n"), p.block())
}

// block is the view in the lines that the terminal has room for.
func (p *Progress) block() []string {
	v, ok := p.view()
	if !ok {
		return nil
	}
	width, height := p.screen.size()
	return v.Lines(width, height-1)
}

// Close removes the block.
func (p *Progress) Close() {
	if p.screen != nil {
		p.screen.show(nil, nil)
		p.screen = nil
	}
}

// change changes the board.
func (p *Progress) change(f func(*board)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.board)
}

// Note implements ladder.Progress.
func (p *Progress) Note(text string) { p.line("%s", text) }

// Plan implements ladder.Progress.
func (p *Progress) Plan(run *results.Manifest, done int, cfg ladder.Config) {
	now := p.now()
	var left time.Duration
	simulated := false
	p.change(func(b *board) {
		b.Plan(now, run.Plan, done, cfg)
		left, simulated = b.Remaining(now), b.Simulated
	})
	already := ""
	if done > 0 {
		already = fmt.Sprintf(", %d of them already measured", done)
	}
	long := "; " + about(left)
	if simulated {
		long = ", simulated"
	}
	p.line("%d cells%s: %s at %s requests/s, %d seed(s), %v of arrivals each; SLO %v%s",
		len(run.Plan), already, strings.Join(cfg.Rungs, ", "), cfg.Params()["rates"], len(cfg.Seeds), cfg.Duration, cfg.SLO, long)
}

// Begin implements ladder.Progress.
func (p *Progress) Begin(order int) { p.change(func(b *board) { b.Begin(order) }) }

// Tick implements ladder.Progress.
func (p *Progress) Tick(order int, s cell.Status) {
	p.change(func(b *board) { b.Tick(order, s) })
	now := p.now()
	if p.screen == nil || now.Sub(p.drawnAt) < drawEvery {
		return
	}
	p.drawnAt = now
	p.screen.show(nil, p.block())
}

// End implements ladder.Progress.
func (p *Progress) End(order int, cell results.Cell, records []results.Record) {
	m := analysis.Measure(cell, records, analysis.Options{})
	var took time.Duration
	var label string
	simulated := false
	p.change(func(b *board) {
		took, label, simulated = b.End(p.now(), order, m), b.Label(order), b.Simulated
	})
	verdict := ""
	if !m.Valid() {
		verdict = "  INVALID: " + m.Invalid[0].Text
	}
	for _, w := range m.Warnings {
		if w.Code == checks.CodeDisturbed {
			verdict += "  NOTE: " + w.Text
		}
	}
	lasted := took.Round(time.Second).String()
	if simulated {
		lasted = fmt.Sprintf("%.0fs simulated", cell.EndedS)
	}
	p.line("%s  %3d requests  goodput %s/s  E2E p50 %s p99 %s  %s%s", label, m.Arrivals,
		perSecond(m.GoodputRPS), latency(m.E2E.P50), latency(m.E2E.P99), lasted, verdict)
	p.over()
}

// Failed implements ladder.Progress.
func (p *Progress) Failed(order int, err error) {
	var label string
	p.change(func(b *board) {
		b.Failed(p.now(), order)
		label = b.Label(order)
	})
	p.line("%s  FAILED: %v", label, err)
	p.over()
}

func (p *Progress) over() {
	if p.cellOver != nil {
		p.cellOver()
	}
}

func perSecond(v results.Opt[float64]) string {
	if !v.OK {
		return "-"
	}
	return fmt.Sprintf("%.2f", v.V)
}

func latency(q stats.Quantile) string {
	switch {
	case q.N == 0:
		return "-"
	case q.Censored:
		return fmt.Sprintf(">%.2fs", q.Value)
	}
	return fmt.Sprintf("%.2fs", q.Value)
}
