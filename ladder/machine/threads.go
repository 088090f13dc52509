package machine

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/results"
)

// setThreads measures the number of threads unless it was asked for, as one number for
// all passes: the one that decides soonest (llamacpp.ChooseThreads) and does not make the load driver late, for llama.cpp's
// threads spin, and on few cores as many as there are cores can leave none for the
// driver. One number, because a rung that decodes one row at a time would otherwise
// differ from its neighbour in its threads too.
func (m *Llama) setThreads(note func(string)) ([]results.Choice, error) {
	if m.threads > 0 {
		if m.threadsBatch == 0 {
			m.threadsBatch = m.threads
		}
		return nil, nil
	}
	note("measuring how many threads the engine should have")
	base := m.base()
	base.Seqs, base.FlashAttn = 8, m.flash
	rows, err := llamacpp.MeasureThreads(m.model, base)
	if err != nil {
		return nil, fault.Engine.Wrap(err)
	}
	m.threads = llamacpp.ChooseThreads(rows)
	if m.threadsBatch == 0 {
		m.threadsBatch = m.threads
	}
	var saw []string
	for _, r := range rows {
		saw = append(saw, fmt.Sprintf("%d: prefill %.0f, decode %.0f (one sequence) and %.0f (8 sequences) tokens/s, the same work %.1f%% apart, driver up to %v late (p99)",
			r.Threads, r.PrefillTPS, r.SingleTPS, r.DecodeTPS, 100*r.Spread, r.LagP99.Round(100*time.Microsecond)))
	}
	return []results.Choice{{Name: "threads", Value: strconv.Itoa(m.threads), Why: strings.Join(saw, "; ")}}, nil
}
