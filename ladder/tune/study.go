package tune

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// kneeShare is the share of all arrivals that the rung without admission answers in time
// up to its knee.
const kneeShare = 0.95

// kneeRates is among how many rates the knee is looked for.
const kneeRates = 32

// Options say what is tuned, on which load, and how hard.
type Options struct {
	Ladder string   // built-in ladder or file; its first rung has no admission policy
	Rungs  []string // to tune; nil is all that have a policy
	Tries  int      // sets of parameters for each policy
	Attain float64  // as in Budget
	Loads  []float64
	// TuneSeeds are of the tapes that policies are tuned on, Seeds of those that they are
	// compared on.
	TuneSeeds, Seeds               []uint64
	Workload                       string
	Duration, Warmup, SLO, Timeout time.Duration
}

// Study is a tuning of the policies of a ladder.
type Study struct {
	Options
	bench Bench
	base  spec.Rung   // without a policy
	arms  []spec.Rung // to tune
	knee  float64
	rates []float64
	found []tuned
}

// NewStudy checks what is asked for and reads its ladder. Errors name the flag.
func NewStudy(o Options) (*Study, error) {
	switch {
	case !slices.IsSorted(o.Loads):
		return nil, fault.Input.Errorf("--loads: %s: give them ascending", list(o.Loads))
	case !(o.Attain >= 0 && o.Attain < 1):
		return nil, fault.Input.Errorf("--attain: %g is not a share from 0 to below 1", o.Attain)
	case o.Tries < 2:
		return nil, fault.Input.Errorf("--tries: %d is too few; give 2 or more", o.Tries)
	}
	for _, s := range o.Seeds {
		if slices.Contains(o.TuneSeeds, s) {
			return nil, fault.Input.Errorf("--seeds: %d is a seed that the policies are tuned on; compare them on others", s)
		}
	}
	l, err := spec.Open(o.Ladder)
	if err != nil {
		return nil, fault.Input.Wrap(err)
	}
	s := &Study{Options: o, base: l.Rungs[0]}
	if s.base.Admits() {
		return nil, fault.Input.Errorf("--ladder: the first rung of %s has an admission policy; begin with one that has none", l.Name)
	}
	for _, r := range l.Rungs[1:] {
		if r.Admits() && (len(o.Rungs) == 0 || slices.Contains(o.Rungs, r.Name)) {
			s.arms = append(s.arms, r)
		}
	}
	for _, name := range o.Rungs {
		if !slices.ContainsFunc(s.arms, func(r spec.Rung) bool { return r.Name == name }) {
			return nil, fault.Input.Errorf("--rungs: %s has no rung %q with an admission policy", l.Name, name)
		}
	}
	if len(s.arms) == 0 {
		return nil, fault.Input.Errorf("--ladder: no rung of %s has an admission policy", l.Name)
	}
	return s, nil
}

// Run finds the knee and tunes every policy on a simulated machine.
func (s *Study) Run(ctx context.Context, m cell.Simulator, workers int, now func() time.Time, note func(string)) error {
	cfg := ladder.Config{
		NumRates: kneeRates, Workload: s.Workload, Stop: cell.StopScripted, Duration: s.Duration, Warmup: s.Warmup,
		Timeout: s.Timeout, SLO: s.SLO,
	}
	cfg.Overrides = spec.Defaults()
	s.bench = Bench{Machine: m, Workers: workers, Config: cfg, Now: now}
	if err := s.findKnee(ctx, note); err != nil {
		return err
	}
	note(fmt.Sprintf("tuning %d policies, %d tries each, at %s requests/s", len(s.arms), s.Tries, list(s.rates)))
	var err error
	s.found, err = s.bench.Tune(ctx, s.arms, Budget{Tries: s.Tries, Rates: s.rates, Seeds: s.TuneSeeds, Attain: s.Attain})
	return err
}

// findKnee measures the rung without a policy, and fixes the SLO and the rates.
func (s *Study) findKnee(ctx context.Context, note func(string)) error {
	s.bench.Note = note
	table, cfg, err := s.bench.Measure(ctx, []spec.Rung{s.base}, nil, s.TuneSeeds)
	if err != nil {
		return err
	}
	s.bench.Note, s.bench.Config.SLO = nil, cfg.SLO
	if s.knee = Knee(table[s.base.Name], kneeShare); s.knee == 0 {
		return fault.Input.Errorf("%s answers %.0f%% of the arrivals within %v at none of the rates %s", s.base.Name, 100*kneeShare, cfg.SLO, list(cfg.Rates))
	}
	for _, load := range s.Loads {
		rate, _ := strconv.ParseFloat(strconv.FormatFloat(load*s.knee, 'g', 3, 64), 64)
		s.rates = append(s.rates, rate)
	}
	note(fmt.Sprintf("SLO %v, knee of %s %g requests/s", cfg.SLO, s.base.Name, s.knee))
	return nil
}

// Write writes the ladder of the tuned arms, with how it came about. engineSource is the
// hash of the engine that was simulated.
func (s *Study) Write(file, engineSource string) error {
	l := spec.Ladder{Name: "arms-tuned", Description: "admission policies, tuned on the twin", Rungs: []spec.Rung{s.base}}
	for _, f := range s.found {
		l.Rungs = append(l.Rungs, f.Rung)
	}
	text, err := l.Render()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Written by `cadence-bench admission tune`; made again by it, not by hand.\n")
	for _, line := range [][2]string{
		{"calibration", s.bench.Machine.Params()["calibration"]},
		{"engine source", engineSource},
		{"workload", fmt.Sprintf("%s, %v of arrivals, the first %v left out", s.Workload, s.Duration, s.Warmup)},
		{"SLO", s.bench.Config.SLO.String()},
		{"knee", fmt.Sprintf("%g requests/s of %s, up to which %.0f%% of all arrivals are in time", s.knee, s.base.Name, 100*kneeShare)},
		{"loads", fmt.Sprintf("%s times the knee: %s requests/s", list(s.Loads), list(s.rates))},
		{"seeds", list(s.TuneSeeds)},
		{"budget", fmt.Sprintf("%d tries for each policy", s.Tries)},
		{"objective", s.objective() + ": as it came, and tuned"},
	} {
		fmt.Fprintf(&b, "# %s: %s\n", line[0], line[1])
	}
	for _, f := range s.found {
		fmt.Fprintf(&b, "#   %-18s %.3f  %.3f\n", f.Rung.Name, f.Default, f.Best)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fault.Write.Wrap(err)
	}
	return fault.Write.Wrap(os.WriteFile(file, []byte(b.String()+text), 0o644))
}

// objective says what a policy is tuned for.
func (s *Study) objective() string {
	text := "mean goodput over loads and seeds, requests/s"
	if s.Attain > 0 {
		text += fmt.Sprintf(", if at every load %g%% of the admitted are in time, else the least share that is, less 1", 100*s.Attain)
	}
	return text
}

// Compare measures the first rung, every policy as it came and every policy as tuned on
// the other tapes, and prints a row for each.
func (s *Study) Compare(ctx context.Context, out io.Writer) error {
	rungs := []spec.Rung{s.base}
	for i, f := range s.found {
		plain := s.arms[i]
		plain.Name += "-as-it-came"
		rungs = append(rungs, f.Rung, plain)
	}
	measured, _, err := s.bench.Measure(ctx, rungs, s.rates, s.Seeds)
	if err != nil {
		return err
	}
	return comparison(rungs, measured, s).Text(out)
}

// comparison has a row for each rung, with two columns for each load.
func comparison(rungs []spec.Rung, measured Table, s *Study) table.Table {
	type row struct {
		name string
		at   []Cell
	}
	rows := make([]row, len(rungs))
	for i, r := range rungs {
		rows[i].name = r.Name
		for _, rate := range s.rates {
			rows[i].at = append(rows[i].at, Sum(measured[r.Name][rate]))
		}
	}
	twoDigits := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	cols := []table.Col[row]{table.Text("rung", "rung", "policy, as tuned or as it came", func(r row) string { return r.name })}
	for i, load := range s.Loads {
		at := fmt.Sprintf("%g× (%g/s)", load, s.rates[i])
		cols = append(cols,
			table.Number(at, fmt.Sprintf("goodput_%g", load), "1/s", "answers in time", func(r row) float64 { return r.at[i].Goodput() }, twoDigits),
			table.Number("in time", fmt.Sprintf("attainment_%g", load), "", "share of the admitted that was in time", func(r row) float64 {
				return float64(r.at[i].Good) / float64(max(1, r.at[i].Admitted))
			}, func(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) }))
	}
	cols = append(cols, table.Number("mean", "goodput", "1/s", "answers in time, over all loads", func(r row) float64 { return Sum(r.at).Goodput() }, twoDigits))
	caption := fmt.Sprintf("Goodput in requests/s, and the share of the admitted that was in time. SLO %v; knee %g requests/s; mean over seeds %s", s.bench.Config.SLO, s.knee, list(s.Seeds))
	return table.New("The policies as they came and as tuned", caption, rows, cols...)
}

// list writes numbers with commas between them.
func list[T float64 | uint64](numbers []T) string {
	var all []string
	for _, n := range numbers {
		all = append(all, fmt.Sprint(n))
	}
	return strings.Join(all, ",")
}
