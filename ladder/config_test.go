package ladder

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

func TestConfigCheck(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"as it is":            {func(c *Config) {}, ""},
		"rate zero":           {func(c *Config) { c.Rates = []float64{0} }, "--rates: 0 is not a rate"},
		"rate not a number":   {func(c *Config) { c.Rates = []float64{math.NaN()} }, "--rates: NaN is not a rate"},
		"rate negative":       {func(c *Config) { c.Rates = []float64{-1} }, "--rates: -1 is not a rate"},
		"rate absurd":         {func(c *Config) { c.Rates = []float64{1e9} }, "--rates: 1e+09 is not a rate"},
		"rates not ascending": {func(c *Config) { c.Rates = []float64{2, 1} }, "--rates: 1 follows 2"},
		"no seed":             {func(c *Config) { c.Seeds = nil }, "--seeds: give at least one"},
		"seed twice":          {func(c *Config) { c.Seeds = []uint64{3, 3} }, "--seeds: 3 is given twice"},
		"no time":             {func(c *Config) { c.Duration = 0 }, "--duration: 0s is out of range"},
		"all warm-up":         {func(c *Config) { c.Warmup = c.Duration }, "must be at least 0 and below --duration"},
		"no patience":         {func(c *Config) { c.Timeout = 0 }, "--timeout: 0s is out of range"},
		"SLO beyond timeout":  {func(c *Config) { c.SLO = time.Hour }, "--slo: 1h0m0s must be above 0 and at most --timeout"},
		"too hot":             {func(c *Config) { c.Temperature = 11 }, "--temperature: 11 is out of range"},
		"unknown stop":        {func(c *Config) { c.Stop = "eos" }, `--stop: unknown mode "eos"`},
		"unknown rung":        {func(c *Config) { c.Rungs = []string{"continous"} }, `unknown rung "continous": did you mean "continuous"?`},
		"unknown order":       {func(c *Config) { c.PrefillOrder = "both" }, `--prefill-order: "both" is not a choice; choose decode-first or prefill-first`},
		"budget too small":    {func(c *Config) { c.PrefillBudget = 8 }, "rung continuous: policy: step tokens is 8, must be at least max batch (24)"},
		"context negative":    {func(c *Config) { c.Context = -1 }, "--context: -1"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Preset("quick")
			require.NoError(t, err)
			tt.change(&c)
			if err := c.Check(); tt.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.want)
			}
		})
	}
}

func TestPresets(t *testing.T) {
	for _, name := range Presets() {
		c, err := Preset(name)
		require.NoError(t, err)
		require.NoError(t, c.Check(), name)
	}
	_, err := Preset("quik")
	require.ErrorContains(t, err, `unknown preset "quik": did you mean "quick"?`)
}

func TestParamsRoundTrip(t *testing.T) {
	c, err := Preset("full")
	require.NoError(t, err)
	c.Rungs, c.Rates, c.SLO, c.NumRates = []string{"fifo", "static"}, []float64{0.9, 1.25, 10}, 900*time.Millisecond, 0
	c.Temperature, c.Context, c.Arrivals = 0.7, 1234, "gamma:burstiness=0.5"
	c.Overrides = spec.Overrides{
		PrefillBudget: 256, PrefillOrder: spec.PrefillFirst, MaxBatch: 16, BlockSize: 32, KVCells: 8192, KVRetain: 4096, ShareWait: time.Second, Canonical: true,
	}
	c.Repeats = Repeats{Replicates: 3, Anchor: "static"}
	got, err := ConfigOf(c.Params())
	require.NoError(t, err)
	require.Equal(t, c, got)

	p := c.Params()
	p["seeds"] = "one"
	_, err = ConfigOf(p)
	require.ErrorContains(t, err, `parameter "seeds" is "one"`)
}

// TestPlanIsFair: rate-major, and over a whole rotation every rung runs as often
// in every place, so that a machine that slows down favours none.
func TestPlanIsFair(t *testing.T) {
	rungs, rates, seeds := Rungs()[:3], []float64{1, 2, 3}, []uint64{7, 8}
	plan := Plan(rungs, rates, seeds, Repeats{})
	require.Len(t, plan, len(rungs)*len(rates)*len(seeds))
	seen := map[results.Key]bool{}
	place := map[string]map[int]int{}
	for i, key := range plan {
		require.False(t, seen[key])
		seen[key] = true
		require.Equal(t, rates[i/(len(rungs)*len(seeds))], key.OfferedRPS)
		if place[key.Rung] == nil {
			place[key.Rung] = map[int]int{}
		}
		place[key.Rung][i%len(rungs)]++
	}
	for _, counts := range place {
		require.Equal(t, map[int]int{0: 2, 1: 2, 2: 2}, counts)
	}
}

// TestPlanOfRepeats: replicates come in blocks of their own in their rate, the rotation
// goes on through them, and anchors come last.
func TestPlanOfRepeats(t *testing.T) {
	rungs, rates, seeds := Rungs()[:3], []float64{1, 2}, []uint64{7, 8}
	plan := Plan(rungs, rates, seeds, Repeats{Replicates: 3, Anchor: "static"})
	require.Len(t, plan, 3*2*2*3+2*2)
	once := Plan(rungs, rates, seeds, Repeats{})
	require.Equal(t, once[:6], plan[:6])
	seen := map[results.Key]bool{}
	firsts := map[string]int{}
	for i, key := range plan {
		require.False(t, seen[key])
		seen[key] = true
		if i >= 36 {
			require.Equal(t, results.Key{Rung: "static", OfferedRPS: rates[(i-36)/2], Seed: seeds[i%2], Anchor: true}, key)
			continue
		}
		require.False(t, key.Anchor)
		require.Equal(t, rates[i/18], key.OfferedRPS)
		require.Equal(t, i/6%3, key.Replicate)
		require.Equal(t, seeds[i/3%2], key.Seed)
		if i%3 == 0 {
			firsts[key.Rung]++
		}
	}
	require.Equal(t, map[string]int{"fifo": 4, "static": 4, "continuous": 4}, firsts)
}

func TestRepeatsAreChecked(t *testing.T) {
	for want, r := range map[string]Repeats{
		"--replicates: -1 is out of range":                 {Replicates: -1},
		"--replicates: 101 is out of range; give 1 to 100": {Replicates: 101},
		`--anchor: unknown rung "sttic": did you mean`:     {Anchor: "sttic"},
		`--anchor: unknown rung "paged"`:                   {Anchor: "paged"}, // there is one, but it is not measured
	} {
		c := smallConfig(t)
		c.Repeats = r
		require.ErrorContains(t, c.Check(), want)
	}
}
