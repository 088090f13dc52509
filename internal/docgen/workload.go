package docgen

import (
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// workload is the table of the workload's lengths over some seeds of load, in tokens of
// the synthetic models' tokenizer.
func workload() (map[string]string, error) {
	const seeds, rate, duration = 10, 2, 180 * time.Second
	tok := gguf.TrainBPE(text.Corpus(), gguf.Shapes()[0].Vocab)
	measures := []struct {
		name string
		of   func(loadgen.Request) (tokens int, ok bool)
	}{
		{"shared system prompt", func(r loadgen.Request) (int, bool) { return len(tok.Encode(r.System)), r.Group >= 0 }},
		{"unique system prompt", func(r loadgen.Request) (int, bool) { return len(tok.Encode(r.System)), r.Group < 0 }},
		{"user turn", func(r loadgen.Request) (int, bool) { return len(tok.Encode(r.User)), true }},
		{"requested output", func(r loadgen.Request) (int, bool) { return r.MaxTokens, true }},
		{"natural output", func(r loadgen.Request) (int, bool) { return r.StopTokens, true }},
	}
	samples := make([][]float64, len(measures))
	requests, prompt, reusable := 0, 0, 0
	for seed := range uint64(seeds) {
		tape, err := loadgen.Make(loadgen.Spec{Workload: loadgen.SharedPrompt, RPS: rate, Seed: seed, Duration: duration})
		if err != nil {
			return nil, err
		}
		requests += len(tape.Requests)
		for _, r := range tape.Requests {
			system := len(tok.Encode(r.System))
			prompt += system + len(tok.Encode(r.User))
			if r.Group >= 0 {
				reusable += system
			}
			for i, m := range measures {
				if n, ok := m.of(r); ok {
					samples[i] = append(samples[i], float64(n))
				}
			}
		}
	}
	type sample struct {
		name   string
		sorted []float64
	}
	var rows []sample
	for i, m := range measures {
		slices.Sort(samples[i])
		rows = append(rows, sample{m.name, samples[i]})
	}
	tokens := func(heading string, of func([]float64) float64) table.Col[sample] {
		return table.Show(heading, func(s sample) string { return fmt.Sprintf("%.0f", of(s.sorted)) })
	}
	at := func(heading string, p float64) table.Col[sample] {
		return tokens(heading, func(sorted []float64) float64 { return stat.Quantile(p, stat.Empirical, sorted, nil) })
	}
	t := table.New("Lengths of the shared-prompt workload, tokens", fmt.Sprintf("seeds 0–%d, %v at %d requests/s, %d requests", seeds-1, duration, rate, requests), rows,
		table.Show("what", func(s sample) string { return s.name }).Left(),
		at("min", 0), at("p5", 0.05), at("p50", 0.5), at("p95", 0.95), at("max", 1),
		tokens("mean", func(sorted []float64) float64 { return stat.Mean(sorted, nil) }))
	t.Notes = []string{fmt.Sprintf(
		"No prefix cache can save more than %.1f%% of the prompt tokens: the shared system prompts, which are that share of all.", 100*float64(reusable)/float64(prompt))}
	return map[string]string{"lengths": t.Markdown()}, nil
}
