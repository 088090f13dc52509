package ab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/paired"
	"github.com/cadence-bench/cadence-bench/results"
)

// DefaultPairs is how many pairs a gate has.
const DefaultPairs = 10

// Options say which programs are compared, on what, and where the measurement goes.
type Options struct {
	A, B         string // binaries or commits; A may be "" in a proof, which is then of this program
	Pairs, Gates int    // pairs of a gate; above 0 gates, these prove it by a program against itself
	Margin       float64
	Plant        float64 // share by which a third arm of a proof is slowed; 0 has none
	OrderSeed    uint64
	Tapes        []uint64
	Load         Load

	Out        string // folder that keeps the measurement; "" keeps none
	Cache, Lib string // where the engine's libraries and the model are
	Provenance Manifest
	Show       io.Writer // a line for each step
	Now        func() time.Time
}

// Check is an error that names the flag of a value that makes no sense.
func (o *Options) Check() error {
	switch {
	case o.A == "" && o.Gates == 0:
		return errors.New("--real: name the binary or the commit to compare with by --a")
	case o.Gates < 0 || o.Pairs < 1:
		return errors.New("--aa and --pairs must not be negative")
	case o.Plant != 0 && o.Gates == 0:
		return errors.New("--plant: it is for proving the gate, with --aa")
	case o.Gates > 0 && o.B != ThisProgram:
		return errors.New("--aa: compares one program with itself: name it by --a")
	}
	return o.Load.Check()
}

// arms of a gate are A and B; those of a proof A, itself again, and itself slowed.
func (o *Options) arms() []Arm {
	if o.Gates == 0 {
		return []Arm{{Name: "A", Side: "A"}, {Name: "B", Side: "B"}}
	}
	arms := []Arm{{Name: "A", Side: "A"}, {Name: "A again", Side: "A"}}
	if o.Plant != 0 {
		arms = append(arms, Arm{Name: "A slowed", Side: "A", Planted: o.Plant})
	}
	return arms
}

// programs finds or builds the binaries of the sides, in dir.
func (o *Options) programs(ctx context.Context, dir string) (map[string]program, error) {
	asked := map[string]string{"A": o.A, "B": o.B}
	if o.Gates > 0 {
		delete(asked, "B")
		if o.A == "" {
			asked["A"] = ThisProgram
		}
	}
	programs := map[string]program{}
	for _, name := range []string{"A", "B"} {
		if asked[name] == "" {
			continue
		}
		p, err := openProgram(ctx, asked[name], dir, func(text string) { fmt.Fprintln(o.Show, text) })
		if err != nil {
			return nil, err
		}
		programs[name] = p
	}
	return programs, nil
}

// Measure measures an experiment or, where Out has a part of it, the rest.
func Measure(ctx context.Context, o Options) (*Run, error) {
	temp, err := os.MkdirTemp("", "cadence-bench-gate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	programs, err := o.programs(ctx, temp)
	if err != nil {
		return nil, err
	}
	rule := paired.DefaultRule()
	rule.Margin = o.Margin
	e := Experiment{
		Sides: map[string]Side{}, Arms: o.arms(), Blocks: o.Pairs * max(1, o.Gates), Gate: o.Pairs,
		Seed: o.OrderSeed, Tapes: o.Tapes, Rule: rule, Load: o.Load.Command(),
	}
	s := segments{binaries: map[string]string{}, load: e.Load, cache: o.Cache, lib: o.Lib, dir: temp, now: o.Now}
	for name, p := range programs {
		e.Sides[name], s.binaries[name] = p.Side, p.Binary
	}
	dir := o.Out
	if dir == "" {
		dir = filepath.Join(temp, "gate")
	}
	p := progress{w: o.Show, now: o.Now}
	runner := Runner{Dir: dir, Measure: s.measure, Now: o.Now, Begun: p.begun, Over: p.over}
	m := o.Provenance
	m.StartedAt, m.Experiment = o.Now().UTC().Truncate(time.Second), e
	m.Build, m.Host = results.BuildInfo(), results.ReadHost()
	run, err := runner.Run(ctx, m)
	if err != nil && o.Out != "" {
		err = fmt.Errorf("%w; what was measured is kept in %s, and the same command goes on with it", err, o.Out)
	}
	return run, err
}

// progress prints a line for each block.
type progress struct {
	w      io.Writer
	now    func() time.Time
	at     time.Time
	before int
}

func (p *progress) begun(r *Run) {
	p.at, p.before = p.now(), len(r.Blocks)
	already := ""
	if p.before > 0 {
		already = fmt.Sprintf(", %d of them already measured", p.before)
	}
	fmt.Fprintf(p.w, "%d blocks of %d segments%s\n", r.Manifest.Blocks, len(r.Arms), already)
}

func (p *progress) over(r *Run) {
	n, all := len(r.Blocks), r.Manifest.Blocks
	b := r.Blocks[n-1]
	var parts []string
	for _, name := range b.Order {
		parts = append(parts, fmt.Sprintf("%s %.3f s", name, b.Segments[name].Seconds))
	}
	for _, arm := range r.Arms[1:] {
		in := paired.Estimate(r.Logs(r.Blocks, arm.Name, func(s Segment) float64 { return s.Seconds }), r.Rule.Confidence)
		parts = append(parts, fmt.Sprintf("%s so far %+.1f%%", arm.Name, 100*math.Expm1(in.Estimate)))
	}
	left := p.now().Sub(p.at) / time.Duration(n-p.before) * time.Duration(all-n)
	fmt.Fprintf(p.w, "[%d/%d] %s; %v left\n", n, all, strings.Join(parts, ", "), left.Round(time.Second))
}
