package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestProgressOnATerminal: one line is rewritten in place, fits the terminal, and
// gives way to the lines that stay.
func TestProgressOnATerminal(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(1000, 0)
	p := &progress{w: &out, live: true, width: func() int { return 100 }, now: func() time.Time { return now }}
	cfg := ladder.Config{Rungs: []string{"fifo"}, Rates: []float64{1, 2}, Seeds: []uint64{1}, Duration: 30 * time.Second, Timeout: 20 * time.Second, SLO: time.Second}
	p.Plan([]results.Key{{Rung: "fifo", OfferedRPS: 1, Seed: 1}, {Rung: "fifo", OfferedRPS: 2, Seed: 1}}, 0, cfg)
	require.Contains(t, out.String(), "2 cells: fifo at 1,2 requests/s")

	out.Reset()
	p.Begin(0)
	now = now.Add(12 * time.Second)
	p.Tick(0, ladder.Status{Elapsed: 12 * time.Second, Queued: 3, Running: 1, Counts: loadgen.Counts{Arrivals: 30, Sent: 14, Finished: 10}})
	require.Equal(t, "\r\x1b[K[1/2] fifo          1 rps seed 1  14/30 sent, 1 running, 3 queued, 10 finished  12s, 1m8s left", out.String())

	out.Reset()
	p.width = func() int { return 40 }
	p.Tick(0, ladder.Status{})
	require.Empty(t, out.String(), "it was drawn at this moment")
	now = now.Add(drawEvery)
	p.Tick(0, ladder.Status{})
	require.Len(t, strings.TrimPrefix(out.String(), "\r\x1b[K"), 39)

	out.Reset()
	now = now.Add(28*time.Second - drawEvery)
	p.End(0, results.Cell{Key: results.Key{Rung: "fifo", OfferedRPS: 1, Seed: 1}, DurationS: 30, TimeoutS: 20, SLOS: 1}, nil)
	require.True(t, strings.HasPrefix(out.String(), "\r\x1b[K[1/2] fifo"), out.String())
	require.Contains(t, out.String(), "INVALID: none of 0 requests arrived")
	require.Equal(t, 40*time.Second, p.remaining(), "the next cell is taken to be like this one")
}

// TestProgressOfASimulation: it tells the time that passes in the cells.
func TestProgressOfASimulation(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	p.simulated = true
	p.Plan([]results.Key{{Rung: "fifo", OfferedRPS: 1, Seed: 1}}, 0, ladder.Config{Duration: time.Hour})
	require.Contains(t, out.String(), "SLO 0s, simulated\n")
	p.Begin(0)
	p.End(0, results.Cell{Key: results.Key{Rung: "fifo", OfferedRPS: 1, Seed: 1}, DurationS: 3600, EndedS: 3612}, nil)
	require.Contains(t, out.String(), "3612s simulated")
}

// TestProgressInALog: no control characters, one line per cell.
func TestProgressInALog(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	p.Plan([]results.Key{{Rung: "fifo", OfferedRPS: 1, Seed: 1}}, 0, ladder.Config{})
	p.Begin(0)
	p.Tick(0, ladder.Status{})
	p.Failed(0, results.ErrRunExists)
	require.NotContains(t, out.String(), "\r")
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
	require.Contains(t, out.String(), "FAILED")
}
