package gate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// trial is a comparison in which some figures of the first rung, at its first rate, are
// worse by half or more.
func trial(name string, exit int, catch []string, worse ...string) Trial {
	b := whole()
	m := b.Measured
	for i, f := range m.Figures {
		for _, metric := range worse {
			if f.Metric != metric || f.Rung != "fifo" || f.RateRPS != 1 {
				continue
			}
			m = with(m, i, func(f *Figure) {
				switch metric {
				case Goodput:
					f.Value /= 2
				case HitRate:
					f.Value = 0
				default:
					f.Value = f.Value*1.5 + 0.02
				}
			})
		}
	}
	return Trial{Name: name, Mistake: "m", Want: 1, Exit: exit, Catch: catch, Result: Compare(b, m, Budgets())}
}

// proved is a proof in which nothing is wrong.
func proved() Proof {
	var p Proof
	p.Trials = append(p.Trials, trial("unchanged", 0, nil))
	p.Trials[0].Want = 0
	for _, b := range Budgets() {
		p.Trials = append(p.Trials, trial("break "+b.Metric, 1, []string{b.Metric}, b.Metric))
	}
	return p
}

func TestProved(t *testing.T) {
	p := proved()
	require.Empty(t, p.Problems(Budgets()))
	for i, c := range p.Catchers(Budgets()) {
		require.Equal(t, Budgets()[i].Metric, c.Budget.Metric)
		require.Equal(t, []string{"break " + c.Budget.Metric}, c.Caught)
		require.Equal(t, c.Caught, c.Named)
	}
}

func TestNotProved(t *testing.T) {
	const steps = 7 // the trial that only steps catch
	for name, c := range map[string]struct {
		change func(*Proof)
		want   []string
	}{
		"red without a mistake": {func(p *Proof) { p.Trials[0].Exit = 1 }, []string{"unchanged: the gate exits with 1, not 0"}},
		"a mistake that changes nothing": {
			func(p *Proof) { p.Trials = append(p.Trials, trial("nothing", 0, []string{Steps, Copies})) },
			[]string{"nothing: the gate exits with 0, not 1"},
		},
		"not measurable is not red": {func(p *Proof) { p.Trials[steps].Exit = 2 }, []string{"break steps: the gate exits with 2, not 1"}},
		"caught by another": {
			func(p *Proof) { p.Trials[steps] = trial("break steps", 1, []string{Steps, Evicted}, E2EP99, Evicted) },
			[]string{"break steps: steps did not catch it", "steps catches no mistake that is there for it"},
		},
		"a metric without a mistake": {
			func(p *Proof) { p.Trials[steps].Catch = nil },
			[]string{"steps catches no mistake that is there for it"},
		},
		"it did not run": {
			func(p *Proof) { p.Trials[steps].Failure, p.Trials[steps].Result = "no space", Result{} },
			[]string{"break steps: no space", "steps catches no mistake that is there for it"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := proved()
			c.change(&p)
			require.Equal(t, c.want, p.Problems(Budgets()))
		})
	}
}

// TestCaught: of each metric the row that is furthest beyond its budget, and of these the
// furthest first.
func TestCaught(t *testing.T) {
	tr := trial("all", 1, nil, Steps, Goodput, HitRate)
	var caught []string
	for _, r := range tr.Caught() {
		require.Greater(t, r.Used(), 1.0)
		require.Equal(t, 1.0, r.RateRPS)
		caught = append(caught, r.Budget.Metric)
	}
	require.Equal(t, []string{Steps, Goodput, HitRate}, caught)
}
