package main

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// BenchmarkReport analyses and reports a run from its files, as the command does: 4
// rungs × 10 seeds at 6 or 25 rates, each cell with 1,000 requests of 50 tokens on
// average. peak-MB is the most memory that the process had meanwhile, with what the
// runtime takes: the two sizes show what of it grows with the run.
func BenchmarkReport(b *testing.B) {
	for _, size := range []struct {
		name  string
		rates int
	}{{"240-cells", 6}, {"1000-cells", 25}} {
		b.Run(size.name, func(b *testing.B) {
			dir := largeRun(b, size.rates)
			forgetPeak()
			b.ResetTimer()
			for range b.N {
				require.NoError(b, run(b.Context(), io.Discard, io.Discard, []string{"report", dir, "--out", b.TempDir()}))
			}
			b.StopTimer()
			cells := 40 * size.rates
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s")
			b.ReportMetric(float64(cells), "cells")
			b.ReportMetric(float64(cells)*largeCell, "requests")
			if peak, known := peakBytes(); known {
				b.ReportMetric(float64(peak)/1e6, "peak-MB")
			}
		})
	}
}

// forgetPeak starts peakBytes afresh, where Linux lets it.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // proc(5): resets the peak resident set size
}

// largeCell is the requests of one cell of largeRun.
const largeCell = 1000

// largeRun writes a run folder of four rungs, the first able to serve 4 requests per
// second and each next one half as many again, at rates from 1 to 13 per second.
func largeRun(b *testing.B, rates int) string {
	dir := b.TempDir()
	var keys []results.Key
	for i := range rates {
		for seed := range uint64(10) {
			for _, rung := range []string{"fifo", "static", "continuous", "prefix"} {
				keys = append(keys, results.Key{Rung: rung, OfferedRPS: 1 + 12*float64(i)/float64(rates-1), Seed: seed})
			}
		}
	}
	folder, err := results.CreateRun(dir, results.Manifest{Backend: "twin", Plan: keys})
	require.NoError(b, err)
	var wait sync.WaitGroup
	orders := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for order := range orders {
				c, recs := largeCellOf(keys[order], order)
				if err := results.WriteCell(folder.CellPath(order, keys[order]), c, recs); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for order := range keys {
		orders <- order
	}
	close(orders)
	wait.Wait()
	journal, err := results.OpenJournal(dir)
	require.NoError(b, err)
	for order, key := range keys {
		entry, err := folder.EntryOf(filepath.Base(folder.CellPath(order, key)))
		require.NoError(b, err)
		require.NoError(b, journal.Append(entry))
	}
	require.NoError(b, journal.Close())
	return dir
}

// largeCellOf is one server that takes the same time for each request of a rung.
func largeCellOf(key results.Key, order int) (results.Cell, []results.Record) {
	service := map[string]float64{"fifo": 0.25, "static": 0.167, "continuous": 0.111, "prefix": 0.074}[key.Rung]
	c := results.Cell{
		Schema: results.SchemaVersion, Key: key, Order: order, Backend: "twin", Workload: "shared-prompt", Arrivals: "poisson",
		DurationS: largeCell / key.OfferedRPS, TimeoutS: 60, SLOS: 1, Requests: results.Some(largeCell),
		ProbeBefore: results.Some(results.Probe{PrefillTokensPerS: 3000, DecodeTokensPerS: 400}),
		ProbeAfter:  results.Some(results.Probe{PrefillTokensPerS: 3000, DecodeTokensPerS: 400}),
	}
	c.WarmupS = c.DurationS / 10
	rng := rand.New(rand.NewPCG(key.Seed, 1))
	seconds := func(s float64) time.Duration { return time.Duration(s * 1e9) }
	var recs []results.Record
	at, free := 0.0, 0.0
	for i := range int32(largeCell) {
		at += rng.ExpFloat64() / key.OfferedRPS
		n := 1 + rng.IntN(99)
		r := results.Record{
			Request: i, Class: "unique", Warmup: at < c.WarmupS, Outcome: results.TimedOut, Intended: seconds(at), Sent: results.Some(seconds(at)),
			Ended: results.Some(seconds(at + c.TimeoutS)), PromptTokens: 540, MaxTokens: 128, StopTokens: results.Some(int32(n)),
		}
		if start := max(at, free); start+service < at+c.TimeoutS {
			free = start + service
			r.Outcome, r.Started = results.Completed, results.Some(seconds(start))
			for k := range n {
				r.Tokens = append(r.Tokens, seconds(start+service*(0.5+0.5*(float64(k+1)+0.3*rng.Float64())/(float64(n)+0.3))))
			}
			r.Ended = results.Some(r.Tokens[n-1])
		}
		recs = append(recs, r)
		c.EndedS = max(c.EndedS, r.Ended.V.Seconds())
	}
	c.DurationS = max(c.DurationS, at+0.001)
	return c, recs
}
