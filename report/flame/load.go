package flame

import (
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/cpuprofile"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Load is what a profile is of.
type Load struct {
	Rung       string
	OfferedRPS float64
	Model, CPU string
	Cores      int
	Threads    string // of the engine, for passes of several rows
	Layout     string // of the KV cache
	Requests   int
	Completed  int
	Steps      int64
	Rows       int64
	// ModelTime, Host and Loop are the engine's own clocks: in the forward pass, in
	// the rest of its steps, and between steps that followed one another at once.
	ModelTime, Host, Loop time.Duration
}

// Title says what the profile is of.
func (l Load) Title() string {
	return fmt.Sprintf("Where busy time goes: %s at %s requests/s", l.Rung, format.Short(l.OfferedRPS))
}

// Table shows what each component took of the busy time.
func Table(p *cpuprofile.Profile, load Load) table.Table {
	seen := func(s cpuprofile.Share) bool { return s.Samples > 0 }
	t := table.New("Where busy time goes", fmt.Sprintf("%s at %s requests/s for %s s, %s, KV %s, engine threads: %s, %s",
		load.Rung, format.Short(load.OfferedRPS), format.Short(p.Duration.Seconds()), load.Model, load.Layout, load.Threads, load.CPU), p.Shares(),
		table.Show("component", func(s cpuprofile.Share) string { return string(s.Component) }).Left(),
		table.Show("share", func(s cpuprofile.Share) string {
			if s.Samples == 0 {
				// With none seen of n, a share above 3/n is refuted at 95%.
				return "<" + format.Short(100*min(1, 3/float64(max(p.Samples(), 1)))) + "%"
			}
			return fmt.Sprintf("%.2f%%", 100*s.Share)
		}),
		table.Show("self time (s)", func(s cpuprofile.Share) string { return fmt.Sprintf("%.2f", s.Busy.Seconds()) }).Where(seen),
		table.Show("per step (ms)", func(s cpuprofile.Share) string { return perStep(s.Busy, load.Steps) }).Where(seen),
		table.Show("samples", func(s cpuprofile.Share) string { return fmt.Sprint(s.Samples) }))
	t.Notes = notes(p, load)
	return t
}

func notes(p *cpuprofile.Profile, load Load) []string {
	total := p.Samples()
	busy, lasted := p.Busy(total).Seconds(), p.Duration.Seconds()
	percent := func(n int64) string { return format.Short(100*ratio(float64(n), total)) + "%" }
	notes := []string{
		fmt.Sprintf("%d samples, %s per second of a busy thread's CPU time: %s s of CPU time in %s s, %s%% of %d cores. One sample is %s; a component without one has, at 95%% confidence, less than the share given.",
			total, format.Short(p.Hz()), format.Short(busy), format.Short(lasted), format.Short(100*busy/lasted/float64(max(load.Cores, 1))), load.Cores, percent(1)),
		fmt.Sprintf("%d steps with %s rows and %s ms each on average; %d of %d requests were completed.",
			load.Steps, format.Short(ratio(float64(load.Rows), load.Steps)), perStep(load.ModelTime+load.Host+load.Loop, load.Steps), load.Completed, load.Requests),
		fmt.Sprintf("By the engine's own clocks, wall time: forward pass %s s, rest of the steps %s s, between steps %s s.",
			format.Sig3(load.ModelTime.Seconds()), format.Sig3(load.Host.Seconds()), format.Sig3(load.Loop.Seconds())),
		fmt.Sprintf("Threads that llama.cpp starts itself are sampled too, without their callers: %s of the samples, all taken for the forward pass. A thread that spins until another is ready counts as busy.",
			percent(p.ForeignSamples())),
	}
	if load.Layout == "streams" {
		notes = append(notes, "With KV streams a cached prefix is copied at the start of the next forward pass, and counted there.")
	}
	return append(notes, "Each prompt was tokenised when it arrived, as in a server; in a ladder that is done before the cell starts.")
}

func perStep(d time.Duration, steps int64) string {
	if steps == 0 {
		return table.Null
	}
	return format.Sig3(ratio(d.Seconds()*1e3, steps))
}

func ratio(x float64, n int64) float64 { return x / float64(max(n, 1)) }
