package calibrator

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/results"
)

// choose measures what the engine's setting is chosen from, and returns the settings
// to fit, the chosen one first.
func (c *calibrator) choose() ([]results.Setting, error) {
	m := c.machine
	c.note("measuring how many threads the engine should have")
	threads, err := llamacpp.MeasureThreads(m.Model(), llamacpp.Params{Seqs: 8, FlashAttn: llamacpp.DefaultLayout.Flash})
	if err != nil {
		return nil, fault.Engine.Wrap(err)
	}
	n := llamacpp.ChooseThreads(threads)
	m.SetThreads(n)
	for _, r := range threads {
		with := fmt.Sprintf(", %d threads", r.Threads)
		if r.Threads == 1 {
			with = ", 1 thread"
		}
		c.speed("prefill"+with, r.PrefillTPS, "tokens/s")
		c.speed("decode, 8 sequences"+with, r.DecodeTPS, "tokens/s")
		c.speed("decode, 1 sequence"+with, r.SingleTPS, "tokens/s")
		c.speed("the same work apart (log sd)"+with, 100*r.Spread, "%")
		c.speed("driver late (p99)"+with, r.LagP99.Seconds()*1e3, "ms")
	}
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	c.note("measuring which KV layout, with or without flash attention, is the fastest")
	layouts, err := llamacpp.MeasureLayouts(m.Model(), llamacpp.Params{Threads: n, ThreadsBatch: n}, llamacpp.Layouts())
	if err != nil {
		return nil, fault.Engine.Wrap(err)
	}
	for _, r := range layouts {
		if r.GivenUp == "" {
			c.speed(fmt.Sprintf("prefill beside a full batch, %v", r.Layout), r.PrefillTPS, "tokens/s")
			c.speed(fmt.Sprintf("decode, 24 sequences, %v", r.Layout), r.DecodeTPS, "tokens/s")
		}
	}
	chosen := llamacpp.ChooseLayout(layouts)
	settings := []results.Setting{m.Setting(chosen)}
	if c.other.rounds > 0 {
		settings = append(settings, c.alternatives(settings[0], threads, layouts)...)
	}
	return settings, c.ctx.Err()
}

// alternatives are the chosen setting with the next number of threads, and in the
// better one of the other KV layout.
func (c *calibrator) alternatives(chosen results.Setting, threads []llamacpp.ThreadRow, layouts []llamacpp.LayoutRow) []results.Setting {
	var others []results.Setting
	threads = slices.DeleteFunc(slices.Clone(threads), func(r llamacpp.ThreadRow) bool { return r.Threads == chosen.Threads })
	if n := llamacpp.ChooseThreads(threads); n > 0 {
		s := chosen
		s.Threads, s.ThreadsBatch = n, n
		others = append(others, s)
	}
	layouts = slices.DeleteFunc(slices.Clone(layouts), func(r llamacpp.LayoutRow) bool { return machine.LayoutName(r.Unified) == chosen.KVLayout })
	if len(layouts) > 0 {
		best := slices.MinFunc(layouts, func(a, b llamacpp.LayoutRow) int { return cmp.Compare(a.Seconds(), b.Seconds()) })
		others = append(others, c.machine.Setting(best.Layout))
	}
	return others
}

func (c *calibrator) speed(name string, value float64, unit string) {
	c.out.Speeds = append(c.out.Speeds, results.Speed{Name: name, Value: value, Unit: unit})
}
