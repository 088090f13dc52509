package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/results"
)

// setThreads takes the number that was asked for or, for "0", measures which is
// fastest without making the load driver late: llama.cpp's threads spin, and on
// few cores as many as there are cores leave none for the driver.
func (m *llamaMachine) setThreads(asked string, note func(string)) ([]results.Choice, error) {
	n, err := strconv.Atoi(asked)
	if err != nil || n < 0 {
		return nil, coded(exitInput, fmt.Errorf("--threads: %q is not a number of threads", asked))
	}
	if n > 0 {
		m.threads = n
		return nil, nil
	}
	note("measuring how many threads the engine should have")
	p := llamacpp.Params{Seqs: 8, KVUnified: m.unified, Rows: 512, FlashAttn: m.flash}
	const cells = 1024
	if m.unified {
		p.Cells = 8 * cells
	} else {
		p.SeqCells = cells
	}
	rows, err := llamacpp.MeasureThreads(m.model, p)
	if err != nil {
		return nil, coded(exitEngine, err)
	}
	m.threads = llamacpp.ChooseThreads(rows)
	var saw []string
	for _, r := range rows {
		saw = append(saw, fmt.Sprintf("%d: prefill %.0f and decode %.0f tokens/s, driver wakes up to %v late (p99)",
			r.Threads, r.PrefillTPS, r.DecodeTPS, r.LagP99.Round(100*time.Microsecond)))
	}
	return []results.Choice{{Name: "threads", Value: strconv.Itoa(m.threads), Why: strings.Join(saw, "; ")}}, nil
}
