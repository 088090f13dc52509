package live

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestProgressOnATerminal: a block is redrawn in place, no more often than it can be
// seen, fits the terminal, and gives way to the lines that stay.
func TestProgressOnATerminal(t *testing.T) {
	e := &emulator{t: t, width: 80}
	height := 24
	now := time.Unix(1000, 0)
	p := &Progress{w: e, screen: &screen{w: e, size: func() (int, int) { return e.width, height }}, now: func() time.Time { return now }}
	cfg := ladder.Config{Rungs: []string{"fifo"}, Rates: []float64{1, 2}, Seeds: []uint64{1}, Duration: 30 * time.Second, Timeout: 20 * time.Second, SLO: time.Second}
	p.Note("choosing threads")
	require.Equal(t, "choosing threads\n", e.text())
	p.Plan(&results.Manifest{Plan: []results.Key{{Rung: "fifo", OfferedRPS: 1, Seed: 1}, {Rung: "fifo", OfferedRPS: 2, Seed: 1}}}, 0, cfg)
	require.Contains(t, e.text(), "2 cells: fifo at 1,2 requests/s")
	require.Contains(t, e.text(), "0 of 2 cells")

	p.Begin(0)
	now = now.Add(12 * time.Second)
	p.Tick(0, cell.Status{Elapsed: 12 * time.Second, Queued: 3, Running: 1, Counts: loadgen.Counts{Arrivals: 30, Sent: 14, Finished: 10}})
	require.Contains(t, e.text(), "0 of 2 cells · 12s · about 1m8s left")
	require.Contains(t, e.text(), "[1/2] fifo 1 rps seed 1  14/30 sent  10 done  queue 3  batch 1")

	drawn := e.writes
	p.Tick(0, cell.Status{Queued: 99})
	require.Equal(t, drawn, e.writes, "it was drawn at this moment")
	now = now.Add(drawEvery)
	height = 3
	p.Tick(0, cell.Status{Queued: 99})
	require.Equal(t, drawn+1, e.writes)
	require.Contains(t, e.text(), "queue 99")
	require.NotContains(t, e.text(), "goodput", "no room for the table")

	now = now.Add(28*time.Second - drawEvery)
	over := 0
	p.cellOver = func() { over++ }
	p.End(0, results.Cell{Key: results.Key{Rung: "fifo", OfferedRPS: 1, Seed: 1}, DurationS: 30, TimeoutS: 20, SLOS: 1}, nil)
	require.Equal(t, 1, over)
	require.Contains(t, strings.ReplaceAll(e.text(), "\n", ""), "INVALID: none of 0 requests arrived")
	require.Contains(t, e.text(), "1 of 2 cells · 40s · about 40s left · 1 invalid", "the next cell is taken to be like this one")
	p.Close()
	require.NotContains(t, e.text(), "of 2 cells ·")
	require.Contains(t, e.text(), "[1/2] fifo", "what stays")
}

// TestProgressOfASimulation: it tells the time that passes in the cells.
func TestProgressOfASimulation(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out)
	p.board.Simulated = true
	p.Plan(&results.Manifest{Plan: []results.Key{{Rung: "fifo", OfferedRPS: 1, Seed: 1}}}, 0, ladder.Config{Duration: time.Hour})
	require.Contains(t, out.String(), "SLO 0s, simulated\n")
	p.Begin(0)
	p.End(0, results.Cell{Key: results.Key{Rung: "fifo", OfferedRPS: 1, Seed: 1}, DurationS: 3600, EndedS: 3612}, nil)
	require.Contains(t, out.String(), "3612s simulated")
}

// TestProgressInALog: no control characters, one line per cell.
func TestProgressInALog(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out)
	p.Plan(&results.Manifest{Plan: []results.Key{{Rung: "fifo", OfferedRPS: 1, Seed: 1}}}, 0, ladder.Config{})
	p.Begin(0)
	p.Tick(0, cell.Status{})
	p.Failed(0, results.ErrRunExists)
	require.NotContains(t, out.String(), "\r")
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
	require.Contains(t, out.String(), "FAILED")
}
