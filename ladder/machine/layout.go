package machine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// auto leaves a parameter to a measurement.
const auto = "auto"

// layoutChoice is what the engine's layout is to be chosen from.
type layoutChoice struct {
	candidates []llamacpp.Layout // in the order in which ties prefer them
	canonical  bool              // the first is taken without measuring
	autoKV     bool
	autoFlash  bool
}

// parseLayouts reads the values of --kv-layout and --flash-attn: what is auto is
// left open. (llama.cpp's own auto, which turns flash attention on wherever it runs,
// has no name here.)
func parseLayouts(kv, flash string, canonical bool) (layoutChoice, error) {
	c := layoutChoice{canonical: canonical, autoKV: kv == auto}
	attn, err := llamacpp.ParseFlashAttn(flash)
	if err != nil {
		return c, fmt.Errorf("--flash-attn: %w", err)
	}
	c.autoFlash = attn == llamacpp.FlashAuto
	unified := false
	if !c.autoKV {
		if unified, err = parseLayout(kv); err != nil {
			return c, err
		}
	}
	if canonical && unified {
		return c, errors.New("--canonical: needs --kv-layout streams: in a unified cache a sequence's cells depend on the others")
	}
	for _, l := range llamacpp.Layouts() {
		if (c.autoFlash || l.Flash == attn) && (c.autoKV || l.Unified == unified) {
			c.candidates = append(c.candidates, l)
		}
	}
	if canonical {
		c.candidates = c.candidates[:1]
	}
	return c, nil
}

// keeping leaves the layouts in which values of a type can be kept.
func (c layoutChoice) keeping(v llamacpp.CacheType) (layoutChoice, error) {
	if !v.Quantised() {
		return c, nil
	}
	c.candidates = slices.DeleteFunc(c.candidates, func(l llamacpp.Layout) bool { return l.Flash == llamacpp.FlashOff })
	if len(c.candidates) == 0 {
		return c, fmt.Errorf("--cache-type-v %v: needs flash attention; drop --flash-attn off, or keep values in f16", v)
	}
	return c, nil
}

// LayoutName is the name of a KV layout.
func LayoutName(unified bool) string {
	if unified {
		return "unified"
	}
	return "streams"
}

// parseLayout reads the name of a KV layout, in the words of --kv-layout.
func parseLayout(s string) (unified bool, err error) {
	switch s {
	case "unified":
		return true, nil
	case "streams":
		return false, nil
	}
	return false, fmt.Errorf("--kv-layout: unknown layout %q; choose unified (one cache for all sequences), streams (a part for each) or auto (measured)", s)
}

// setLayout takes the layout that was asked for, or measures those that are left
// open, with the threads that were chosen before.
func (m *Llama) setLayout(c layoutChoice, note func(string)) ([]results.Choice, error) {
	chosen, why := c.candidates[0], "--canonical: the default among the layouts that keep sequences apart, without measuring"
	if len(c.candidates) > 1 {
		note("measuring which KV layout, with or without flash attention, is the fastest")
		rows, err := llamacpp.MeasureLayouts(m.model, m.base(), c.candidates)
		if err != nil {
			return nil, fault.Engine.Wrap(err)
		}
		chosen, why = llamacpp.ChooseLayout(rows), whyLayout(rows)
	}
	m.flash, m.unified = chosen.Flash, chosen.Unified
	var choices []results.Choice
	if c.autoKV {
		choices = append(choices, results.Choice{Name: "kv_layout", Value: LayoutName(m.unified), Why: why})
		why = "measured with kv_layout"
	}
	if c.autoFlash {
		choices = append(choices, results.Choice{Name: "flash_attn", Value: m.flash.String(), Why: why})
	}
	return choices, nil
}

func whyLayout(rows []llamacpp.LayoutRow) string {
	prompt := 0
	var saw []string
	for _, r := range rows {
		prompt = max(prompt, r.Prompt)
		var parts []string
		switch {
		case r.DecodeTPS > 0:
			parts = append(parts, fmt.Sprintf("prefill %.0f, decode %.0f tokens/s, %.3f s a request", r.PrefillTPS, r.DecodeTPS, r.Seconds()))
		case r.PrefillTPS > 0:
			parts = append(parts, fmt.Sprintf("prefill %.0f tokens/s", r.PrefillTPS))
		}
		if r.GivenUp != "" {
			parts = append(parts, r.GivenUp)
		}
		saw = append(saw, fmt.Sprintf("%v: %s", r.Layout, strings.Join(parts, ", ")))
	}
	return fmt.Sprintf("the least engine time for a request of 540 prompt and 100 output tokens in a full batch of 24 with prompts of %d; of those within 5%% the first; %s",
		prompt, strings.Join(saw, "; "))
}

// RetainRule measures what idle cached cells cost and returns how a ladder bounds
// them; nil where nothing is to be bounded: in streams, and without a prefix cache.
func (m *Llama) RetainRule(rungs []spec.Rung, note func(string)) (func(longestPrompt int) results.Choice, error) {
	prefix := false
	for _, r := range rungs {
		prefix = prefix || r.Caches()
	}
	if !m.unified || !prefix {
		return nil, nil
	}
	note("measuring what idle cached cells cost, to bound them")
	base := m.base()
	base.FlashAttn = m.flash
	cost, err := llamacpp.MeasureIdle(m.model, base)
	if err != nil {
		return nil, fault.Engine.Wrap(err)
	}
	return func(longestPrompt int) results.Choice {
		cells := llamacpp.RetainCells(cost, longestPrompt)
		why := fmt.Sprintf("a decode step of %d sequences with %d cells took %v, and %v beside %d idle cells: %.2f µs a cell",
			cost.Batch, cost.Live, cost.Alone.Round(10*time.Microsecond), cost.Beside.Round(10*time.Microsecond), cost.Idle, 1e6*cost.PerCell())
		if cells == 0 {
			why += ", so they are not bounded"
		} else {
			why += fmt.Sprintf("; idle cached cells may slow it by %.0f%%, but the longest prompt of %d tokens may stay", 100*llamacpp.RetainShare, longestPrompt)
		}
		return results.Choice{Name: "kv_retain", Value: strconv.Itoa(cells), Why: why}
	}, nil
}
