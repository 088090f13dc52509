package ladder

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/httptarget"
	"github.com/cadence-bench/cadence-bench/results"
)

// setting is one setting of a run, besides those of its rungs. A manifest keeps it by
// name, and the flag of that name sets it.
type setting struct {
	name, usage string // no usage, no flag
	// fallback is the flag's default, where it is not the zero value. A text stands for a
	// value that the flag reads itself.
	fallback any
	// preset leaves the setting to the preset unless the flag is given.
	preset bool
	// rare settings are in a manifest only where they are set.
	rare bool
	// at returns where the value is: *int, *float64, *string,
	// *time.Duration, *[]string, *[]float64 or *[]uint64.
	at func(*Config) any
}

// settings are all of them. The rungs' are in package spec, and the servers' in Externals.
var settings = []setting{
	{name: "rungs", usage: "rungs to measure, comma-separated (default fifo,static,continuous,prefix; paged is optional; none measures only targets)", preset: true,
		at: func(c *Config) any { return &c.Rungs }},
	{name: "rates", usage: "offered rates in requests per second, comma-separated, ascending, or auto (default the preset's)", fallback: auto, preset: true,
		at: func(c *Config) any { return &c.Rates }},
	{name: "seeds", usage: "seeds of the tapes, comma-separated (default the preset's)", preset: true,
		at: func(c *Config) any { return &c.Seeds }},
	{name: "duration", usage: "how long each cell offers arrivals (default the preset's)", preset: true,
		at: func(c *Config) any { return &c.Duration }},
	{name: "warmup", usage: "arrivals before this are left out of the steady window (default the preset's)", preset: true,
		at: func(c *Config) any { return &c.Warmup }},
	{name: "timeout", usage: "a client gives up this long after its arrival (default the preset's)", preset: true,
		at: func(c *Config) any { return &c.Timeout }},
	{name: "slo", usage: "end-to-end latency objective, such as 2s", fallback: auto, preset: true,
		at: func(c *Config) any { return &c.SLO }},
	{name: "workload", usage: "what requests say, such as shared-prompt, uniform, sessions or trace:FILE; tape make --help lists all", fallback: loadgen.SharedPrompt,
		at: func(c *Config) any { return &c.Workload }},
	{name: "arrivals", usage: "when they come: poisson, gamma:burstiness=0.5, ... (default a trace's own times, else poisson)",
		at: func(c *Config) any { return &c.Arrivals }},
	{name: "stop", usage: "where answers end: scripted (drawn with the tape), model (its own end token) or never (the client's limit)", fallback: string(cell.StopScripted),
		at: func(c *Config) any { return (*string)(&c.Stop) }},
	{name: "temperature", usage: "0 decodes greedily; above it, each request samples with its own seed",
		at: func(c *Config) any { return &c.Temperature }},
	{name: "roofline", usage: "measure before each cell how fast the idle engine could do its work: the table capacity", preset: true, rare: true,
		at: func(c *Config) any { return &c.Roofline }},
	{name: "context", usage: "tokens that one sequence may hold (default what the longest request needs)",
		at: func(c *Config) any { return &c.Context }},
	{name: "replicates", usage: "how often every cell is measured; replicates come in later blocks and replay the same tapes", fallback: 1, rare: true,
		at: func(c *Config) any { return &c.Replicates }},
	{name: "anchor", usage: "rung to measure again after all others, at every rate and seed: what comparing across the sweep costs", rare: true,
		at: func(c *Config) any { return &c.Anchor }},
	{name: "replicates_of", rare: true,
		at: func(c *Config) any { return &c.Of }},
}

// auto leaves rates or the SLO to a measurement.
const auto = "auto"

// Params returns the configuration by documented name, as the manifest keeps it.
// ConfigOf reads it back.
func (c *Config) Params() map[string]string {
	p := map[string]string{}
	for i := range settings {
		it := &settings[i]
		value := reflect.ValueOf(it.at(c)).Elem()
		if !it.rare || !value.IsZero() && value.Interface() != it.fallback {
			p[it.name] = text(value.Interface())
		}
	}
	c.Overrides.Params(p)
	c.ladderParams(p)
	if c.Study != nil {
		c.Study.Params(p)
	}
	c.Externals.params(p)
	return p
}

// ConfigOf returns the configuration whose Params these are.
func ConfigOf(p map[string]string) (c Config, err error) {
	for i := range settings {
		it := &settings[i]
		value, given := p[it.name]
		if it.rare && !given {
			continue
		}
		if e := setText(it.at(&c), value); e != nil {
			err = errors.Join(err, fmt.Errorf("parameter %q is %q: %w", it.name, value, e))
		}
	}
	var e [4]error
	c.Overrides, e[0] = spec.OverridesOf(p)
	c.Ladder, e[1] = ladderOf(p)
	c.Study, e[2] = results.StudyOf(p)
	c.Externals, e[3] = externalsOf(p)
	return c, errors.Join(err, errors.Join(e[:]...))
}

// Flags are the settings of a run as they stand on the command line.
type Flags struct {
	Config
	preset, ladder string
	texts          map[string]*string // what Resolve reads
	targets        []string
	length         string // of the answers of targets
	given          func(name string) bool
}

// Bind makes the flags.
func (f *Flags) Bind(set *pflag.FlagSet) {
	f.texts, f.given = map[string]*string{}, set.Changed
	set.StringVar(&f.preset, "preset", "quick", "smoke (two minutes), burst (two minutes: full batches, beside their roofline), quick (a quarter of an hour), full (five hours) or cadence (the predecessor's grid of fixed rates: ten hours)")
	set.StringVar(&f.ladder, "ladder", "", "the rungs there are: a built-in ladder's name or a YAML file (default cadence)")
	for i := range settings {
		it := &settings[i]
		word, _ := it.fallback.(string)
		switch at := it.at(&f.Config).(type) {
		case *[]string:
			set.StringSliceVar(at, it.name, nil, it.usage)
		case *[]float64, *[]uint64:
			f.texts[it.name] = set.String(it.name, word, it.usage)
		case *time.Duration:
			if word != "" {
				f.texts[it.name] = set.String(it.name, word, it.usage)
			} else {
				set.DurationVar(at, it.name, 0, it.usage)
			}
		case *string:
			if it.usage != "" {
				set.StringVar(at, it.name, word, it.usage)
			}
		case *bool:
			set.BoolVar(at, it.name, false, it.usage)
		case *float64:
			set.Float64Var(at, it.name, 0, it.usage)
		case *int:
			number, _ := it.fallback.(int)
			set.IntVar(at, it.name, number, it.usage)
		}
	}
	f.Overrides.Bind(set)
	set.StringArrayVar(&f.targets, "target", nil, "a server to measure as a further rung, as NAME=URL; may be repeated")
	set.StringVar((*string)(&f.API), "api", string(httptarget.Chat), "what the targets speak: chat, completions or llama (llama-server's own)")
	set.StringVar(&f.TargetModel, "target-model", "", "model that requests to the targets name (default the first that each lists)")
	set.StringVar(&f.length, "target-length", "told", "scripted answer lengths: told (the target is asked for that many tokens) or hidden (the client closes the connection there)")
	set.BoolVar(&f.TokenIDs, "token-ids", false, "send the targets token ids of --model instead of text (completions and llama)")
	set.BoolVar(&f.SharedCache, "target-shared-cache", false, "send prompts as they are on the tape, though a target may have them cached from an earlier cell")
}

// Preset is the name of the preset that they change.
func (f *Flags) Preset() string { return f.preset }

// Resolve returns the configuration: that of the preset, changed by adjust, which may be
// nil, and then by the flags.
func (f *Flags) Resolve(adjust func(*Config)) (Config, error) {
	c, err := Preset(f.preset)
	if err != nil {
		return c, err
	}
	if f.ladder != "" {
		if c.Ladder, err = spec.Open(f.ladder); err != nil {
			return c, err
		}
	}
	if adjust != nil {
		adjust(&c)
	}
	for i := range settings {
		it := &settings[i]
		if it.preset && !f.given(it.name) {
			continue
		}
		into := reflect.ValueOf(it.at(&c)).Elem()
		written := f.texts[it.name]
		switch {
		case written == nil:
			into.Set(reflect.ValueOf(it.at(&f.Config)).Elem())
		case *written == auto && it.fallback == auto:
			into.SetZero()
		default:
			if err := setText(it.at(&c), *written); it.name == "slo" && (err != nil || c.SLO <= 0) {
				return c, fmt.Errorf("--slo: %q is not a duration above 0, such as 2s, nor auto", *written)
			} else if err != nil {
				return c, fmt.Errorf("--%s: %w", it.name, err)
			}
		}
	}
	c.Overrides = f.Overrides
	if c.Replicates < 1 {
		return c, fmt.Errorf("--replicates: %d is out of range; give 1 or more", c.Replicates)
	}
	if f.given("duration") && !f.given("warmup") {
		c.Warmup = min(c.Warmup, c.Duration/8)
	}
	c.Externals, err = f.externals()
	return c, err
}

// externals reads the flags about servers.
func (f *Flags) externals() (e Externals, err error) {
	e = f.Externals
	for _, url := range f.targets {
		t, err := parseTarget(url)
		if err != nil {
			return e, fmt.Errorf("--target: %w", err)
		}
		e.Targets = append(e.Targets, t)
	}
	if e.API, err = httptarget.ParseAPI(string(e.API)); err != nil {
		return e, fmt.Errorf("--api: %w", err)
	}
	if f.length != "told" && f.length != "hidden" {
		return e, fmt.Errorf("--target-length: unknown value %q; choose told or hidden", f.length)
	}
	e.HideLength = f.length == "hidden"
	return e, nil
}

// text writes a value as a manifest has it.
func text(value any) string {
	switch v := value.(type) {
	case []string:
		return strings.Join(v, ",")
	case []float64:
		words := make([]string, len(v))
		for i, x := range v {
			words[i] = strconv.FormatFloat(x, 'f', -1, 64)
		}
		return strings.Join(words, ",")
	case []uint64:
		return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ",")
	}
	return fmt.Sprint(value)
}

// setText reads what text wrote.
func setText(at any, s string) (err error) {
	switch at := at.(type) {
	case *[]string:
		*at = strings.Split(s, ",")
	case *[]float64:
		*at, err = ParseRates(s)
	case *[]uint64:
		*at, err = ParseSeeds(s)
	default:
		err = spec.SetText(at, s)
	}
	return err
}

// ParseRates reads a comma-separated list of rates, or "auto", which is nil.
func ParseRates(s string) ([]float64, error) {
	if s == auto {
		return nil, nil
	}
	var rates []float64
	for word := range strings.SplitSeq(s, ",") {
		r, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number of requests per second", word)
		}
		rates = append(rates, r)
	}
	return rates, nil
}

// ParseSeeds reads a comma-separated list of seeds.
func ParseSeeds(s string) ([]uint64, error) {
	var seeds []uint64
	for word := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a seed: give whole numbers from 0 up", word)
		}
		seeds = append(seeds, n)
	}
	return seeds, nil
}
