package machine

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/results"
)

// Config is what is asked of a machine.
type Config struct {
	FlashAttn string // on, off or Auto
	KVLayout  string // unified, streams or Auto
	Threads   int    // of the engine; 0: chosen
	// ThreadsBatch is for passes of more than one token; 0: as Threads.
	ThreadsBatch int
	// Canonical computes each sequence apart.
	Canonical bool
	Memory
	// Planted is the share by which each step is made longer, to prove a gate; 0 for every
	// honest machine.
	Planted float64
	// Noise lets a twin's steps vary as the calibrated ones did.
	Noise bool
	// Calibration is the SHA-256 that a twin's must have; "": any.
	Calibration string
}

// Defaults leaves everything to measurements or, of a twin, to its calibration.
func Defaults() Config {
	return Config{FlashAttn: auto, KVLayout: auto, Memory: Memory{Placement: llamacpp.DefaultPlacement}}
}

// Bind makes the flags of the engine's settings.
func (c *Config) Bind(flags *pflag.FlagSet) {
	flags.StringVar(&c.FlashAttn, "flash-attn", auto, "flash attention: on, off, or auto (chosen by a short measurement)")
	flags.StringVar(&c.KVLayout, "kv-layout", auto, "KV cache: unified (one for all sequences), streams (a part for each), or auto (chosen by a short measurement)")
	flags.IntVar(&c.Threads, "threads", 0, "engine threads (default chosen by a short measurement)")
	flags.IntVar(&c.ThreadsBatch, "threads-batch", 0, "engine threads for passes of more than one token (default as --threads)")
	c.Memory.bind(flags)
}

// ConfigOf is the machine of a run that has these parameters, but for Canonical, which is
// a setting of its rungs.
func ConfigOf(params map[string]string) (Config, error) {
	c := Config{
		FlashAttn: params["flash_attn"], KVLayout: params["kv_layout"],
		Noise: params["twin_noise"] == "true", Calibration: params["calibration"],
	}
	for name, at := range map[string]*int{"threads": &c.Threads, "threads_batch": &c.ThreadsBatch} {
		var err error
		if *at, err = strconv.Atoi(params[name]); err != nil {
			return c, fault.Input.Errorf("parameter %q is %q, which is not a number of threads", name, params[name])
		}
	}
	var err error
	c.Memory, err = memoryOf(params)
	return c, err
}

// check says what is wrong with the numbers of threads.
func (c *Config) check() error {
	for _, it := range []struct {
		flag string
		n    int
	}{{"--threads", c.Threads}, {"--threads-batch", c.ThreadsBatch}} {
		if it.n < 0 {
			return fmt.Errorf("%s: %q is not a number of threads", it.flag, strconv.Itoa(it.n))
		}
	}
	return nil
}

// Choose opens a model on llama.cpp. What c leaves open is chosen by measurements: the
// threads, and then the layout of the KV cache and flash attention.
func Choose(p Places, model string, c Config, note func(string)) (*Llama, []results.Choice, error) {
	layouts, err := parseLayouts(c.KVLayout, c.FlashAttn, c.Canonical)
	if err == nil {
		err = c.check()
	}
	k, v, e := c.Memory.types()
	if err = errors.Join(err, e); err == nil {
		layouts, err = layouts.keeping(v)
	}
	if err != nil {
		return nil, nil, fault.Input.Wrap(err)
	}
	m, err := OpenLlama(p, model, c.Placement)
	if err != nil {
		return nil, nil, err
	}
	m.memory, m.typeK, m.typeV = c.Memory, k, v
	m.canonical, m.flash, m.planted = layouts.canonical, layouts.candidates[0].Flash, c.Planted
	m.threads, m.threadsBatch = c.Threads, c.ThreadsBatch
	threads, err := m.setThreads(note)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := m.setLayout(layouts, note)
	return m, append(threads, chosen...), err
}
