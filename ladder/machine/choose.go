package machine

import (
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/results"
)

// Choose opens a model on llama.cpp with these parameters. Threads "0" are chosen by a
// measurement, and then the layout of the KV cache where it is "auto". planted is the
// share by which each step is made longer, to prove a gate; 0 for every honest machine.
func Choose(p Places, model string, params map[string]string, planted float64, note func(string)) (*Llama, []results.Choice, error) {
	layouts, err := parseLayouts(params["kv_layout"], params["flash_attn"], params["canonical"] == "true")
	if err != nil {
		return nil, nil, fault.Input.Wrap(err)
	}
	m, err := OpenLlama(p, model)
	if err != nil {
		return nil, nil, err
	}
	m.canonical, m.flash, m.planted = layouts.canonical, layouts.candidates[0].Flash, planted
	threads, err := m.setThreads(params["threads"], params["threads_batch"], note)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := m.setLayout(layouts, note)
	return m, append(threads, chosen...), err
}
