package live

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func plan(rungs []string, rates []float64, seeds int) []results.Key {
	var keys []results.Key
	for _, rate := range rates {
		for seed := range seeds {
			for _, rung := range rungs {
				keys = append(keys, results.Key{Rung: rung, OfferedRPS: rate, Seed: uint64(seed + 1)})
			}
		}
	}
	return keys
}

var names = []string{"fifo", "static", "continuous", "prefix"}

var config = ladder.Config{Rungs: names, Duration: 60 * time.Second, Timeout: 30 * time.Second}

// measured is a cell's measurement. A p99 below 0 is a bound.
func measured(key results.Key, order int, goodput, p99, decode float64, invalid ...analysis.Warning) analysis.CellMetrics {
	return analysis.CellMetrics{
		Cell: results.Cell{Key: key, Order: order,
			ProbeBefore: results.Some(results.Probe{DecodeTokensPerS: decode}), ProbeAfter: results.Some(results.Probe{DecodeTokensPerS: decode * 0.98})},
		GoodputRPS: results.Some(goodput),
		E2E:        analysis.Spread{P99: stats.Quantile{Value: max(p99, -p99), N: 50, Censored: p99 < 0, Supported: true}},
		Invalid:    invalid,
	}
}

// underWay is a sweep in the middle of its ninth cell of 24, with one cell failed and one
// invalid.
func underWay() (*board, time.Time) {
	b := &board{}
	now := start
	keys := plan(names, []float64{0.5, 1, 1.5}, 2)
	b.Plan(now, keys, 0, config)
	for order := range 9 {
		b.Begin(order)
		now = now.Add(70 * time.Second)
		switch order {
		case 3:
			b.Failed(now, order)
		case 5:
			b.End(now, order, measured(keys[order], order, 9, 1, 390, analysis.Warning{Code: "late", Text: "late"}))
		default:
			b.End(now, order, measured(keys[order], order, keys[order].OfferedRPS*(0.5+float64(order%4)/8), 2.5*float64(1+order%3)-10*float64(order/8), 400-2*float64(order)))
		}
	}
	b.Begin(9)
	now = now.Add(20 * time.Second)
	b.Tick(9, cell.Status{Elapsed: 18 * time.Second, Queued: 7, Running: 8, Counts: loadgen.Counts{Arrivals: 61, Sent: 34, Finished: 19}})
	return b, now
}

func TestLines(t *testing.T) {
	b, now := underWay()
	fresh := &board{}
	fresh.Plan(start, plan(names, []float64{1}, 1), 0, config)
	fresh.Begin(0)
	for name, text := range map[string]string{
		"fresh":  strings.Join(fresh.View(start).Lines(80, 24), "\n"),
		"wide":   strings.Join(b.View(now).Lines(120, 24), "\n"),
		"80":     strings.Join(b.View(now).Lines(80, 24), "\n"),
		"narrow": strings.Join(b.View(now).Lines(40, 24), "\n"),
		"six":    strings.Join(b.View(now).Lines(80, 6), "\n"),
		"two":    strings.Join(b.View(now).Lines(80, 2), "\n"),
	} {
		golden.Equal(t, name+".txt", text+"\n")
	}
}

// Whatever the terminal's size, nothing wraps and nothing scrolls.
func TestLinesFit(t *testing.T) {
	b, now := underWay()
	v := b.View(now)
	for width := range 140 {
		for height := range 20 {
			lines := v.Lines(width, height)
			require.NotEmpty(t, lines)
			require.LessOrEqual(t, len(lines), max(height, 1))
			for _, l := range lines {
				require.LessOrEqual(t, utf8.RuneCountInString(l), max(width-1, 0), "%d×%d: %q", width, height, l)
			}
		}
	}
	require.Len(t, v.Lines(80, 24), 8, "all of it where there is room")
}

func TestRemaining(t *testing.T) {
	b := &board{}
	keys := plan([]string{"fifo"}, []float64{1, 2, 4}, 1)
	b.Plan(start, keys, 0, config)
	require.Equal(t, 3*75*time.Second, b.Remaining(start), "a cell's arrivals and half of a client's patience")
	require.Equal(t, 2*75*time.Second, b.Remaining(start.Add(time.Hour)), "a cell that takes longer is not yet over")
	now := start.Add(40 * time.Second)
	require.Equal(t, 40*time.Second, b.End(now, 0, measured(keys[0], 0, 1, 1, 400)))
	require.Equal(t, 80*time.Second, b.Remaining(now), "the others are taken to be like this one")
	require.Equal(t, 70*time.Second, b.Remaining(now.Add(10*time.Second)))
	b.Failed(now.Add(20*time.Second), 1)
	require.Equal(t, 30*time.Second, b.Remaining(now.Add(20*time.Second)), "a failed cell took time too")
	b.Begin(1) // again
	b.Failed(now.Add(40*time.Second), 1)
	require.Equal(t, 1, len(b.failed), "it failed twice, and is one cell")
	b.End(now.Add(60*time.Second), 2, measured(keys[2], 2, 1, 1, 400))
	require.Zero(t, b.Remaining(now.Add(60*time.Second)))
	require.NotContains(t, b.View(now.Add(60*time.Second)).Head, "left")
}

// A sweep that is taken up again shows what it had.
func TestKnownCells(t *testing.T) {
	keys := plan([]string{"fifo", "prefix"}, []float64{1, 2}, 1)
	b := &board{}
	b.Known([]analysis.CellMetrics{measured(keys[0], 0, 0.75, -30, 400), measured(keys[1], 1, 1, 3, 200)})
	b.Plan(start, keys, 2, config)
	v := b.View(start)
	require.Equal(t, 2, v.Done)
	require.Equal(t, [][]string{{"fifo", "1/2", "0.75", "1", ">30.00", "1"}, {"prefix", "1/2", "1.00", "1", "3.00", "1"}}, v.Rungs.Rows)
	require.Equal(t, []string{"probe decodes 196 tok/s, -51% since the first of 4; 196 to 400 so far"}, v.Now)
	require.Equal(t, 2*75*time.Second, b.Remaining(start))
}

// An anchor is one of the cells, and in no figure of its rung.
func TestAnchors(t *testing.T) {
	keys := plan([]string{"fifo"}, []float64{1}, 1)
	again, anchor := keys[0], keys[0]
	again.Replicate, anchor.Anchor = 1, true
	b := &board{}
	b.Plan(start, append(keys, again, anchor), 0, config)
	b.End(start, 0, measured(keys[0], 0, 0.5, 2, 400))
	b.End(start, 2, measured(anchor, 2, 0.9, 9, 300))
	b.Begin(1)
	v := b.View(start)
	require.Equal(t, [][]string{{"fifo", "2/3", "0.50", "1", "2.00", "1"}}, v.Rungs.Rows)
	require.Equal(t, "[2/3] fifo 1 rps seed 1 again 1  starting", v.Now[0])
	require.Contains(t, v.Now[1], "-26% since the first of 4", "the machine's speed is of all")
	require.Equal(t, "[3/3] fifo 1 rps seed 1 anchor", b.Label(2))
}

// The live page's script reads these keys.
func TestViewAsJSON(t *testing.T) {
	b, now := underWay()
	data, err := json.Marshal(b.View(now))
	require.NoError(t, err)
	var v map[string]any
	require.NoError(t, json.Unmarshal(data, &v))
	require.EqualValues(t, 9, v["done"])
	require.EqualValues(t, 24, v["all"])
	require.Contains(t, v["head"], "9 of 24 cells · 10m50s · about 17m left · 1 invalid · 1 failed")
	require.Len(t, v["rungs"].(map[string]any)["rows"], 4)
	require.Contains(t, fmt.Sprint(v["now"]), "queue 7  batch 8")
	require.Equal(t, false, v["over"])
}

// TestLabelsAlign: however long a rung's name is, the columns of all lines are the same.
func TestLabelsAlign(t *testing.T) {
	b := &board{}
	b.Plan(start, plan([]string{"fifo", "conformal-95"}, []float64{0.5, 23}, 1), 0, config)
	require.Equal(t, "[1/4] fifo         0.5 rps seed 1", b.Label(0))
	require.Equal(t, "[4/4] conformal-95  23 rps seed 1", b.Label(3))
}
