package ladder

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// Params returns the configuration by documented name, as the manifest keeps it.
// ConfigOf reads it back.
func (c *Config) Params() map[string]string {
	p := map[string]string{
		"rungs":       strings.Join(c.Rungs, ","),
		"rates":       formatRates(c.Rates),
		"seeds":       formatSeeds(c.Seeds),
		"workload":    c.Workload,
		"arrivals":    c.Arrivals,
		"duration":    c.Duration.String(),
		"warmup":      c.Warmup.String(),
		"timeout":     c.Timeout.String(),
		"slo":         c.SLO.String(),
		"stop":        string(c.Stop),
		"temperature": strconv.FormatFloat(c.Temperature, 'g', -1, 64),
		"context":     strconv.Itoa(c.Context),
	}
	c.Overrides.Params(p)
	c.ladderParams(p)
	c.Repeats.params(p)
	if c.Study != nil {
		c.Study.Params(p)
	}
	c.Externals.params(p)
	return p
}

// ConfigOf returns the configuration whose Params these are.
func ConfigOf(p map[string]string) (Config, error) {
	c := Config{Workload: p["workload"], Arrivals: p["arrivals"], Stop: cell.StopMode(p["stop"])}
	var err error
	keep := func(name string, e error) {
		if e != nil && err == nil {
			err = fmt.Errorf("parameter %q is %q: %w", name, p[name], e)
		}
	}
	duration := func(name string) time.Duration {
		d, e := time.ParseDuration(p[name])
		keep(name, e)
		return d
	}
	c.Rungs = strings.Split(p["rungs"], ",")
	c.Duration, c.Warmup = duration("duration"), duration("warmup")
	c.Timeout, c.SLO = duration("timeout"), duration("slo")
	var e error
	c.Rates, e = ParseRates(p["rates"])
	keep("rates", e)
	c.Seeds, e = ParseSeeds(p["seeds"])
	keep("seeds", e)
	c.Temperature, e = strconv.ParseFloat(p["temperature"], 64)
	keep("temperature", e)
	whole := func(name string) int {
		n, e := strconv.Atoi(p[name])
		keep(name, e)
		return n
	}
	c.Context = whole("context")
	if c.Overrides, e = spec.OverridesOf(p); e != nil {
		err = errors.Join(err, e)
	}
	if c.Ladder, e = ladderOf(p); e != nil {
		err = errors.Join(err, e)
	}
	if c.Repeats, e = repeatsOf(p); e != nil {
		err = errors.Join(err, e)
	}
	if c.Study, e = results.StudyOf(p); e != nil {
		err = errors.Join(err, e)
	}
	c.Externals, e = externalsOf(p)
	return c, errors.Join(err, e)
}

// ParseRates reads a comma-separated list of rates, or "auto", which is nil.
func ParseRates(s string) ([]float64, error) {
	if s == "auto" {
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

func formatRates(rates []float64) string {
	words := make([]string, len(rates))
	for i, r := range rates {
		words[i] = strconv.FormatFloat(r, 'f', -1, 64)
	}
	return strings.Join(words, ",")
}

func formatSeeds(seeds []uint64) string {
	words := make([]string, len(seeds))
	for i, s := range seeds {
		words[i] = strconv.FormatUint(s, 10)
	}
	return strings.Join(words, ",")
}
