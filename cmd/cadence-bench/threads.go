package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/results"
)

// setThreads takes the numbers of threads for passes of one row and of more that
// were asked for, and measures for each that is 0 which is fastest without making
// the load driver late: llama.cpp's threads spin, and on few cores as many as
// there are cores can leave none for the driver.
func (m *llamaMachine) setThreads(one, more string, note func(string)) ([]results.Choice, error) {
	var err error
	if m.threads, err = threadCount("--threads", one); err != nil {
		return nil, err
	}
	if m.threadsBatch, err = threadCount("--threads-batch", more); err != nil {
		return nil, err
	}
	if m.threads > 0 && m.threadsBatch > 0 {
		return nil, nil
	}
	note("measuring how many threads the engine should have")
	rows, err := llamacpp.MeasureThreads(m.model, llamacpp.Params{Seqs: 8, FlashAttn: m.flash})
	if err != nil {
		return nil, coded(exitEngine, err)
	}
	var saw []string
	for _, r := range rows {
		saw = append(saw, fmt.Sprintf("%d: prefill %.0f, decode %.0f (one sequence) and %.0f (8 sequences) tokens/s, driver up to %v late (p99)",
			r.Threads, r.PrefillTPS, r.SingleTPS, r.DecodeTPS, r.LagP99.Round(100*time.Microsecond)))
	}
	why := strings.Join(saw, "; ")
	var choices []results.Choice
	if m.threads == 0 {
		m.threads = llamacpp.ChooseSingleThreads(rows)
		choices = append(choices, results.Choice{Name: "threads", Value: strconv.Itoa(m.threads), Why: why})
	}
	if m.threadsBatch == 0 {
		m.threadsBatch = llamacpp.ChooseThreads(rows)
		choices = append(choices, results.Choice{Name: "threads_batch", Value: strconv.Itoa(m.threadsBatch), Why: why})
	}
	return choices, nil
}

func threadCount(flag, asked string) (int, error) {
	n, err := strconv.Atoi(asked)
	if err != nil || n < 0 {
		return 0, coded(exitInput, fmt.Errorf("%s: %q is not a number of threads", flag, asked))
	}
	return n, nil
}
