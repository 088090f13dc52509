package ladder

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/internal/nearest"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// Config is what a sweep is asked to do. A zero Rates, SLO or Threads is chosen
// by a short measurement of the idle engine (Auto).
type Config struct {
	// Ladder is what the rungs are of; nil is the built-in default one.
	Ladder   *spec.Ladder
	Rungs    []string      // their names; nil: all that are not optional
	Rates    []float64     // offered rates in requests per second, ascending; nil: chosen
	NumRates int           // how many to choose when Rates is nil
	Seeds    []uint64      // one tape per (seed, rate)
	Workload string        // as loadgen.ParseWorkload takes it
	Arrivals string        // as loadgen.ParseArrivals takes it; "": the workload's own
	Duration time.Duration // arrivals are offered over [0, Duration)
	Warmup   time.Duration // arrivals before it are flagged and left out of the steady window
	Timeout  time.Duration // a client gives up this long after its intended arrival
	SLO      time.Duration // E2E objective; 0: chosen
	Stop     cell.StopMode
	// Temperature 0 decodes greedily; above it, every request samples with its
	// own seed from the tape.
	Temperature float64
	Roofline    bool // measure each cell's roofline before it
	// Context is how many tokens, prompt and output, one sequence may hold. 0 is
	// what the longest request needs, at most what the model was trained for.
	Context int
	// Fitted is what admission policies start from; nil: from nothing. It is no parameter:
	// ConfigOf does not find it, and a run keeps a copy of the file that it came from.
	Fitted *admission.Fitted
	spec.Overrides
	Repeats
	// Study measures single changes of one rung instead of the ladder; nil does not.
	Study *results.Study
	Externals
}

// ladder returns the rungs that c names, with its knobs turned, and above them the
// servers.
func (c *Config) ladder() ([]spec.Rung, error) {
	if len(c.Rungs) == 1 && c.Rungs[0] == noRungs {
		return c.Externals.rungs(), nil
	}
	if c.Study != nil {
		return c.studied()
	}
	rungs, err := choosing(c.rungs(), c.Rungs)
	for i := range rungs {
		rungs[i] = c.Overrides.Turn(rungs[i])
	}
	return append(rungs, c.Externals.rungs()...), err
}

// rungs returns all rungs of c's ladder, as it has them.
func (c *Config) rungs() []spec.Rung {
	if c.Ladder == nil {
		return Rungs()
	}
	return c.Ladder.Rungs
}

// Embedded returns the rungs that c measures on the embedded engine, with its knobs turned.
func (c *Config) Embedded() ([]spec.Rung, error) {
	rungs, err := c.ladder()
	return embedded(rungs), err
}

// Measured returns all rungs that c measures, with its knobs turned, servers last.
func (c *Config) Measured() ([]spec.Rung, error) { return c.ladder() }

// CellTime estimates how long a cell takes: its arrivals, and half of a client's patience
// for what they leave behind.
func (c *Config) CellTime() time.Duration { return c.Duration + c.Timeout/2 }

// Cell is what c says of each cell.
func (c *Config) Cell() cell.Config {
	return cell.Config{
		Workload: c.Workload, Arrivals: c.Arrivals, Duration: c.Duration, Warmup: c.Warmup, Timeout: c.Timeout, SLO: c.SLO,
		Stop: c.Stop, Temperature: c.Temperature, Roofline: c.Roofline, Fitted: c.Fitted,
	}
}

// Setup is the cell of a key on a machine, as a sweep of c measures it.
func (c *Config) Setup(m cell.Machine, key results.Key) (cell.Setup, error) {
	rungs, err := c.ladder()
	if err != nil {
		return cell.Setup{}, err
	}
	return cell.Setup{Key: key, Machine: m, Rung: byName(rungs, key.Rung), Shape: cell.ShapeFor(rungs, c.Context), Config: c.Cell()}, nil
}

// Presets returns the names of the presets, shortest first.
func Presets() []string { return []string{"smoke", "burst", "quick", "full", "cadence"} }

// Preset returns a preset's configuration. smoke takes about two minutes,
// quick a quarter of an hour, full about five hours with the default model on two cores.
// burst takes two minutes: six full batches of requests within three seconds, which are
// then served to the end. cadence is the
// grid of the predecessor's five-rung ladder, which took it ten hours: its rates, SLO,
// client timeout and warm-up, and three seeds from 0, which it began with.
func Preset(name string) (Config, error) {
	c := Config{Workload: loadgen.SharedPrompt, Stop: cell.StopScripted, Seeds: []uint64{1}}
	c.Overrides = spec.Defaults()
	switch name {
	case "smoke":
		c.NumRates, c.Duration, c.Warmup, c.Timeout = 2, 6*time.Second, time.Second, 8*time.Second
	case "burst":
		c.Rungs = []string{"continuous", "prefix"}
		c.Rates, c.SLO, c.Roofline = []float64{50}, 10*time.Second, true
		c.NumRates, c.Duration, c.Timeout = 1, 3*time.Second, 3*time.Minute
	case "quick":
		c.NumRates, c.Duration, c.Warmup, c.Timeout = 5, 16*time.Second, 2*time.Second, 30*time.Second
	case "full":
		c.NumRates, c.Duration, c.Warmup, c.Timeout = 6, 120*time.Second, 15*time.Second, 60*time.Second
		c.Seeds = []uint64{1, 2, 3}
	case "cadence":
		c.Rates, c.SLO = []float64{0.6, 1, 1.4, 1.9, 2.6, 4}, 4*time.Second
		c.Duration, c.Warmup, c.Timeout = 180*time.Second, 25*time.Second, 300*time.Second
		c.NumRates, c.Seeds = 6, []uint64{0, 1, 2}
	default:
		return Config{}, fmt.Errorf("unknown preset %q: %s", name, nearest.Hint(name, Presets()))
	}
	return c, nil
}

// The bounds of Check are there to catch a slip of a digit or a unit before hours
// are spent on it, not to limit anybody.
const (
	maxRate     = 10_000
	maxDuration = 24 * time.Hour
)

// Check says what is wrong with c, if anything, in the words of the command
// line's flags.
func (c *Config) Check() error {
	for i, r := range c.Rates {
		switch {
		case math.IsNaN(r) || r <= 0 || r > maxRate:
			return fmt.Errorf("--rates: %v is not a rate; give requests per second above 0 and at most %d", r, maxRate)
		case i > 0 && r <= c.Rates[i-1]:
			return fmt.Errorf("--rates: %v follows %v; give them ascending, each once", r, c.Rates[i-1])
		}
	}
	seen := map[uint64]bool{}
	for _, s := range c.Seeds {
		if seen[s] {
			return fmt.Errorf("--seeds: %d is given twice; a repeated seed is the same tape again, not another sample", s)
		}
		seen[s] = true
	}
	switch {
	case len(c.Seeds) == 0:
		return fmt.Errorf("--seeds: give at least one")
	case c.Duration < time.Second || c.Duration > maxDuration:
		return fmt.Errorf("--duration: %v is out of range; give 1s to %v", c.Duration, maxDuration)
	case c.Warmup < 0 || c.Warmup >= c.Duration:
		return fmt.Errorf("--warmup: %v must be at least 0 and below --duration (%v)", c.Warmup, c.Duration)
	case c.Timeout < time.Second || c.Timeout > maxDuration:
		return fmt.Errorf("--timeout: %v is out of range; give 1s to %v", c.Timeout, maxDuration)
	case c.SLO < 0 || c.SLO > c.Timeout:
		return fmt.Errorf("--slo: %v must be above 0 and at most --timeout (%v)", c.SLO, c.Timeout)
	case c.Context < 0:
		return fmt.Errorf("--context: %d is not a number of tokens", c.Context)
	case math.IsNaN(c.Temperature) || c.Temperature < 0 || c.Temperature > 10:
		return fmt.Errorf("--temperature: %v is out of range; give 0 (greedy) to 10", c.Temperature)
	}
	switch c.Stop {
	case cell.StopScripted, cell.StopModel, cell.StopNever:
	default:
		return fmt.Errorf("--stop: unknown mode %q; choose scripted, model or never", c.Stop)
	}
	if err := c.Overrides.Check(); err != nil {
		return err
	}
	rungs, err := c.ladder()
	if err != nil {
		return err
	}
	if err := c.Repeats.check(rungs); err != nil {
		return err
	}
	if err := c.checkTargets(embedded(rungs)); err != nil {
		return err
	}
	for _, r := range embedded(rungs) {
		if err := errors.Join(r.Policy.Check(), r.Cache.Check()); err != nil {
			return fmt.Errorf("rung %s: %w", r.Name, err)
		}
	}
	return c.checkLoad()
}

// checkLoad says whether the load can be offered at every rate.
func (c *Config) checkLoad() error {
	load, err := c.load()
	if err != nil {
		return err
	}
	if load.Workload.Frozen() && len(c.Seeds) > 1 {
		return fmt.Errorf("--seeds: %s is a tape, the same with every seed; give one seed", load.Workload)
	}
	for _, rate := range c.Rates {
		if err := load.Check(rate, c.Duration); err != nil {
			return err
		}
	}
	return nil
}

// load opens the workload and its arrivals, and reads the files that they name.
func (c *Config) load() (loadgen.Load, error) { return loadgen.OpenLoad(c.Workload, c.Arrivals) }
