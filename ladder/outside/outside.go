// Package outside measures a server by nothing but its answers: how long a pass of so many
// rows takes it, and how far a twin of that is from a load which was no part of the measurement.
package outside

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/costs"
	"github.com/cadence-bench/cadence-bench/ladder/published"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/random"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Config says which server is measured.
type Config struct {
	Server cell.Server // but for its Mark
	Name   string
	// Measure measures a cell on the server; nil is its Run.
	Measure func(context.Context, cell.Setup, *cell.Tape) (*cell.Result, error)
	Note    func(string)
	// Facts are those of the calibration that only the caller knows.
	Facts results.Calibration
	// Slots is how many requests the server decodes at once; 0: up to 24.
	Slots int
}

// Server names a server as flags do.
type Server struct{ Target, API, Model string }

// Calibrate measures a server, writes its calibration to a file, and prints what was found.
func Calibrate(ctx context.Context, out io.Writer, named Server, path, key string, facts results.Calibration, note func(string)) error {
	cfg, err := ladder.OutsideOf(named.Target, named.API, named.Model)
	if err != nil {
		return fault.Input.Wrap(err)
	}
	server, is, err := cfg.Outside(ctx, key)
	if err != nil {
		return err
	}
	got, held, err := Measure(ctx, Config{Server: server, Name: is.Name, Slots: is.Slots, Note: note, Facts: facts})
	if err != nil {
		return err
	}
	if err := results.WriteCalibration(path, got); err != nil {
		return fault.Write.Wrap(err)
	}
	for _, t := range []table.Table{costs.Tables(&got)[0], costs.HeldOutTable(held)} {
		if err := t.Text(out); err != nil {
			return fault.Write.Wrap(err)
		}
		fmt.Fprintln(out)
	}
	_, err = fmt.Fprintln(out, path)
	return fault.Write.Wrap(err)
}

// What the server is asked: prompts of several lengths alone, for one token; and some
// together, for as many tokens as make their steps a matter of the batch.
var (
	promptTokens = []int{64, 128, 256, 512, 768}
	batchSizes   = []int{1, 2, 4, 8, 16, 24}
)

const (
	rounds      = 5
	shortPrompt = 384
	longAnswer  = 64
	// heldOutFor is how long the load lasts on which the fit is judged, at half of what a
	// full batch would serve.
	heldOutFor   = 30 * time.Second
	heldOutShare = 0.5
)

// Measure measures what passes cost a server, and how far the twin is from it under a
// load that was no part of that.
func Measure(ctx context.Context, o Config) (c results.Calibration, held []costs.HeldOut, err error) {
	m, err := o.passes(ctx)
	if err != nil {
		return c, nil, err
	}
	if c, err = m.Calibration(); err != nil {
		return c, nil, fault.Engine.Wrap(err)
	}
	facts := o.Facts
	c.MadeAt, c.Command, c.Build, c.EngineSource, c.Host = facts.MadeAt, facts.Command, facts.Build, facts.EngineSource, facts.Host
	for _, p := range m.Passes {
		c.Speeds = append(c.Speeds, results.Speed{Name: fmt.Sprintf("pass of %d rows", p.Rows), Value: p.MS, Unit: "ms"})
	}
	if held, err = o.judge(ctx, &m, c); err != nil {
		return c, nil, err
	}
	var errs []float64
	for _, h := range held {
		errs = append(errs, math.Abs(h.Error()))
		c.Speeds = append(c.Speeds, results.Speed{Name: "held-out load, " + h.Name + ": simulated over measured", Value: h.Simulated / h.Measured, Unit: "ratio"})
	}
	slices.Sort(errs)
	c.Costs[0].Scheduled = results.FitError{HeldOutMedianAbsRel: stats.Median(errs), HeldOutP90AbsRel: errs[len(errs)-1], RowsFit: len(m.Passes), RowsHeldOut: len(held)}
	return c, held, nil
}

// passes measures in rounds that each have all of it.
func (o *Config) passes(ctx context.Context) (published.Machine, error) {
	m := published.Machine{Name: o.Name, Source: "calibrate --target", Engine: o.Name, Model: cmp.Or(o.Server.Model, "unknown"), Device: o.Name}
	seen := map[int][]float64{}
	batches := slices.DeleteFunc(slices.Clone(batchSizes), func(n int) bool { return o.Slots > 0 && n > o.Slots })
	for round := range rounds {
		o.Note(fmt.Sprintf("asking %s for prompts and batches, round %d of %d", o.Name, round+1, rounds))
		for _, n := range promptTokens {
			recs, err := o.ask(ctx, round, 1, n, 1)
			if err != nil {
				return m, err
			}
			if rows := int(recs[0].PromptTokens - recs[0].CachedTokens.V); rows > 0 {
				seen[rows] = append(seen[rows], ms(recs[0].Tokens[0]-recs[0].Sent.V))
			}
		}
		for _, n := range batches {
			recs, err := o.ask(ctx, round, n, shortPrompt, longAnswer)
			if err != nil {
				return m, err
			}
			if step, ok := stepOf(recs); ok {
				seen[n] = append(seen[n], step)
			}
		}
	}
	for rows, all := range seen {
		slices.Sort(all)
		m.Passes = append(m.Passes, published.Pass{Rows: rows, MS: stats.Median(all)})
	}
	slices.SortFunc(m.Passes, func(a, b published.Pass) int { return cmp.Compare(a.Rows, b.Rows) })
	m.Passes = smooth(m.Passes)
	if len(m.Passes) < 2 || m.Passes[0].Rows != 1 {
		return m, fault.Engine.Errorf("target %s: its answers do not show how long its steps take: it streams no token by itself", o.Name)
	}
	m.Context = 1 << 17
	return m, nil
}

// smooth joins neighbouring lengths, which differ by how the server's tokenizer cut texts of
// one size, into one pass each.
func smooth(passes []published.Pass) []published.Pass {
	var out []published.Pass
	for i := 0; i < len(passes); {
		k, rows, sum := i, 0, 0.0
		for ; k < len(passes) && (k == i || passes[i].Rows > 24 && float64(passes[k].Rows) < 1.3*float64(passes[i].Rows)); k++ {
			rows, sum = rows+passes[k].Rows, sum+passes[k].MS
		}
		out = append(out, published.Pass{Rows: rows / (k - i), MS: sum / float64(k-i)})
		i = k
	}
	return out
}

// ask sends n requests of one size at once and returns their records.
func (o *Config) ask(ctx context.Context, round, n, prompt, answer int) ([]results.Record, error) {
	tape := &loadgen.Tape{Workload: "calibrate", Arrivals: "at once", RPS: float64(n), Duration: time.Second}
	for i := range n {
		tape.Requests = append(tape.Requests, loadgen.Request{
			Index: i, Class: "probe", Group: -1, MaxTokens: answer, StopTokens: answer,
			User: text.Prose(random.Stream(uint64(round), fmt.Sprintf("outside/%d/%d/%d", n, prompt, i)), prompt),
		})
	}
	r, err := o.run(ctx, fmt.Sprintf("[round %d, %d of %d]", round, n, prompt), float64(n), &cell.Tape{Tape: tape, Hash: tape.Hash()})
	if err != nil {
		return nil, err
	}
	for i := range r.Records {
		if rec := &r.Records[i]; rec.Outcome != results.Completed || len(rec.Tokens) == 0 {
			return nil, fault.Engine.Errorf("target %s: a request of the measurement ended as %v: %s", o.Name, rec.Outcome, rec.Reason.V)
		}
	}
	return r.Records, nil
}

func (o *Config) run(ctx context.Context, mark string, rate float64, tape *cell.Tape) (*cell.Result, error) {
	server := o.Server
	// A server that stays up may have the prompts of an earlier measurement in its cache.
	server.Mark = fmt.Sprintf("%s %x", mark, o.Facts.MadeAt.UnixNano())
	measure := o.Measure
	if measure == nil {
		measure = func(ctx context.Context, s cell.Setup, t *cell.Tape) (*cell.Result, error) { return s.Run(ctx, t) }
	}
	r, err := measure(ctx, cell.Setup{
		Server: &server, Key: results.Key{Rung: o.Name, OfferedRPS: rate, Seed: 1}, Config: loadOf(tape),
	}, tape)
	if err != nil && ctx.Err() == nil {
		err = fault.Engine.Errorf("target %s: %w", o.Name, err)
	}
	return r, err
}

func loadOf(t *cell.Tape) cell.Config {
	return cell.Config{Workload: t.Workload, Duration: t.Duration, Timeout: 5 * time.Minute, SLO: time.Minute, Stop: cell.StopScripted}
}

// stepOf is how long a step of all the requests takes, in milliseconds: what each got while
// all of them had their first token and none its last.
func stepOf(recs []results.Record) (float64, bool) {
	from, until := recs[0].Tokens[0], recs[0].Tokens[len(recs[0].Tokens)-1]
	for _, r := range recs {
		from, until = max(from, r.Tokens[0]), min(until, r.Tokens[len(r.Tokens)-1])
	}
	tokens := 0
	for _, r := range recs {
		for _, at := range r.Tokens {
			if at > from && at <= until {
				tokens++
			}
		}
	}
	steps := float64(tokens) / float64(len(recs))
	return ms(until-from) / steps, steps >= 4
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }

// judge offers a load to the server and its tape to the twin.
func (o *Config) judge(ctx context.Context, m *published.Machine, c results.Calibration) ([]costs.HeldOut, error) {
	batch := m.Passes[0].Rows
	for _, p := range m.Passes {
		if slices.Contains(batchSizes, p.Rows) {
			batch = p.Rows
		}
	}
	machine, err := sim.New(sim.Config{Calibration: c, Setting: c.Chosen.Setting})
	if err != nil {
		return nil, fault.Engine.Wrap(err)
	}
	load, err := loadgen.OpenLoad(loadgen.Uniform, "")
	if err != nil {
		return nil, err
	}
	sample := load.Sample(1, 1).Requests[0]
	prompt, err := machine.Encode(sample.System, sample.User)
	if err != nil {
		return nil, err
	}
	each := m.MS(float64(len(prompt))) + float64(sample.StopTokens)*m.MS(float64(batch))/float64(batch)
	rate := math.Max(0.05, heldOutShare*1e3/each)
	made, err := load.Make(rate, 1, heldOutFor)
	if err != nil {
		return nil, err
	}
	tape, err := cell.NewTapes(machine).Tokenise(made)
	if err != nil {
		return nil, err
	}
	o.Note(fmt.Sprintf("offering %.2g requests/s for %v, which the fit has not seen", rate, heldOutFor))
	measured, err := o.run(ctx, "[held out]", rate, tape)
	if err != nil {
		return nil, err
	}
	rung := spec.Rung{Name: "continuous"}
	rung.Policy.MaxBatch, rung.Policy.StepTokens, rung.Policy.Refill, rung.Policy.DecodeFirst = batch, max(512, batch), true, true
	s := cell.Setup{Key: measured.Cell.Key, Machine: machine, Rung: rung, Shape: cell.ShapeFor([]spec.Rung{rung}, 8192), NoProbes: true,
		Config: loadOf(tape)}
	simulated, err := s.Run(ctx, tape)
	if err != nil {
		return nil, err
	}
	return compareHeldOut(measured, simulated), nil
}

// compareHeldOut sets the latencies of two cells of one tape beside each other.
func compareHeldOut(measured, simulated *cell.Result) []costs.HeldOut {
	a := analysis.Measure(measured.Cell, measured.Records, analysis.Options{})
	b := analysis.Measure(simulated.Cell, simulated.Records, analysis.Options{})
	var all []costs.HeldOut
	for _, of := range []struct {
		name string
		a, b stats.Sample
	}{{"TTFT", a.TTFTs, b.TTFTs}, {"E2E", a.E2Es, b.E2Es}} {
		for _, p := range []float64{0.5, 0.9, 0.99} {
			all = append(all, costs.HeldOut{
				Name: fmt.Sprintf("%s p%g", of.name, 100*p), Measured: of.a.Quantile(p).Value, Simulated: of.b.Quantile(p).Value,
			})
		}
	}
	return all
}
