package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// BenchmarkSimulate runs whole command lines on the twin: the predecessor's grid, and
// one cell of about 100,000 requests. virtual-s/s is simulated seconds, from the first
// arrival of each cell to its last outcome, per second of wall time; MB/Mreq is how
// much the second one's peak is above the first one's, for a million requests.
func BenchmarkSimulate(b *testing.B) {
	grid := b.Run("grid", func(b *testing.B) {
		simulate(b, "--preset", "cadence")
	})
	if !grid {
		return
	}
	before, known := peakBytes()
	b.Run("one-cell", func(b *testing.B) {
		requests, after := simulate(b, "--rungs", "prefix", "--rates", "4", "--seeds", "1", "--slo", "4s", "--duration", "7h", "--warmup", "1m", "--timeout", "5m")
		if known {
			b.ReportMetric(float64(after-before)/float64(requests), "MB/Mreq")
		}
	})
}

// simulate runs a ladder b.N times and returns how many requests it has, and the
// process's peak.
func simulate(b *testing.B, args ...string) (requests int, peak int64) {
	out := filepath.Join(b.TempDir(), "run")
	args = append([]string{"--cache", b.TempDir(), "ladder", "--engine", "twin", "--calibration", handMade, "--out", out}, args...)
	for range b.N {
		require.NoError(b, os.RemoveAll(out))
		require.NoError(b, run(b.Context(), io.Discard, io.Discard, args))
	}
	peak, known := peakBytes()
	wall := b.Elapsed().Seconds() / float64(b.N)
	r, err := results.OpenRun(out)
	require.NoError(b, err)
	virtual := 0.0
	for _, e := range r.Entries {
		cell, records, err := r.ReadCell(e)
		require.NoError(b, err)
		virtual += cell.EndedS
		requests += len(records)
	}
	b.ReportMetric(float64(len(r.Entries)), "cells")
	b.ReportMetric(float64(requests), "requests")
	b.ReportMetric(virtual/wall, "virtual-s/s")
	if known {
		b.ReportMetric(float64(peak)/1e6, "peak-MB")
	}
	return requests, peak
}

// peakBytes is the most memory that the process has had, where Linux tells.
func peakBytes() (n int64, ok bool) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	_, line, _ := strings.Cut(string(data), "VmHWM:")
	_, err = fmt.Sscan(line, &n)
	return n * 1024, err == nil
}
