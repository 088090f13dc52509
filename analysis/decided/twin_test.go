package decided_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/decided"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/results"
	"github.com/cadence-bench/cadence-bench/results/calibration"
)

// machine is the twin of this build's calibration, with every cost scale times as high and
// one KV cache for all sequences.
func machine(scale float64) (cell.Machine, error) {
	c, id, err := calibration.Default()
	if err != nil {
		return nil, err
	}
	setting := c.Chosen.Setting
	setting.KVLayout = "unified"
	return sim.New(sim.Config{Calibration: c, ID: id, Setting: setting, Scale: scale})
}

var machines = map[float64]func() (cell.Machine, error){
	1:   sync.OnceValues(func() (cell.Machine, error) { return machine(1) }),
	1.5: sync.OnceValues(func() (cell.Machine, error) { return machine(1.5) }),
}

// simulated is a cell of a sweep with what its decisions were made from.
type simulated struct {
	decided.Cell
	records []results.Record
	steps   []results.StepRow
}

// sweep simulates a small load and changes of it.
func sweep(t *testing.T, scale float64, change func(*ladder.Config)) (all []simulated) {
	t.Helper()
	m, err := machines[scale]()
	require.NoError(t, err)
	cfg, err := ladder.Preset("quick")
	require.NoError(t, err)
	cfg.Rungs, cfg.Rates, cfg.SLO, cfg.Duration = []string{"prefix"}, []float64{8}, 2*time.Second, 12*time.Second
	change(&cfg)
	dir := t.TempDir()
	s := ladder.Sweep{Machine: m, Dir: dir, Progress: quiet{t: t}, TraceSteps: true, Now: func() time.Time { return time.Time{} }}
	require.NoError(t, s.Start(context.Background(), cfg))
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	for _, e := range run.Entries {
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		_, steps, err := results.ReadSteps(run.StepsPath(e.Order, e.Key))
		require.NoError(t, err)
		c, err := decided.Of(cell, records, steps)
		require.NoError(t, err)
		all = append(all, simulated{c, records, steps})
	}
	return all
}

type quiet struct {
	ladder.Unseen
	t *testing.T
}

func (q quiet) Failed(order int, err error) { q.t.Errorf("cell %d: %v", order, err) }

func cellsOf(all []simulated) (cells []decided.Cell) {
	for _, s := range all {
		cells = append(cells, s.Cell)
	}
	return cells
}

func allRungs(c *ladder.Config) {
	c.Rungs = []string{"fifo", "static", "continuous", "paged", "prefix", "conformal-80", "conformal-95"}
	c.KVCells, c.KVRetain = 8192, 2048
}

// TestEveryRung: a run repeats to the byte, every rung says what its mechanism does, and the
// prompt rows that are ascribed to a request end when its first token is ready.
func TestEveryRung(t *testing.T) {
	cells := sweep(t, 1, allRungs)
	text, err := decided.Text(cellsOf(cells))
	require.NoError(t, err)
	again, err := decided.Text(cellsOf(sweep(t, 1, allRungs)))
	require.NoError(t, err)
	require.Equal(t, string(text), string(again))

	says := map[string][]string{
		"fifo": {"admitted "}, "static": {"that could decode"}, "continuous": {"prefilled "},
		"paged": {"admitted "}, "prefix": {"evicted ", "copied ", "held "}, "conformal-80": {"took ", "refused "}, "conformal-95": {"(fits)", "refused "},
	}
	for _, c := range cells {
		var lines strings.Builder
		prefilled := map[int32]int64{}
		for _, l := range c.Lines {
			fmt.Fprintln(&lines, l)
			for _, item := range l.Items {
				var n, request int32
				if k, _ := fmt.Sscanf(item, "prefilled %d tokens of request %d", &n, &request); k == 2 {
					prefilled[request] = l.Step
				}
			}
		}
		for _, word := range says[c.Key.Rung] {
			require.Contains(t, lines.String(), word, c.Key.Rung)
		}
		require.NotContains(t, lines.String(), "besides", c.Key.Rung)
		preempted := strings.Contains(lines.String(), "preempted ")
		for _, r := range c.records {
			if first := r.FirstToken(); first.OK && !preempted {
				require.Equal(t, first.V, c.steps[prefilled[r.Request]].End, "%s, request %d", c.Key.Rung, r.Request)
			}
		}
	}
	data, err := decided.Encode(cellsOf(cells))
	require.NoError(t, err)
	back, err := decided.Decode(data)
	require.NoError(t, err)
	require.Equal(t, cellsOf(cells), back)
	t.Logf("%d cells: %d bytes of text, %d kept", len(cells), len(text), len(data))
}

// naive compares the traces themselves: the first step with another decision.
func naive(before, now simulated) int {
	decision := func(s *results.StepRow) string {
		return fmt.Sprint(s.Error, s.PrefillRows, s.Copies, s.Held, s.Evicted, s.Admitted, s.Preempted, s.Ended)
	}
	for i := range max(len(before.steps), len(now.steps)) {
		if i >= len(before.steps) || i >= len(now.steps) || decision(&before.steps[i]) != decision(&now.steps[i]) {
			return i
		}
	}
	return -1
}

// TestOneKnob: of two runs that differ in one knob, the first difference is the one that a
// comparison of the whole traces finds.
func TestOneKnob(t *testing.T) {
	base := func(c *ladder.Config) { c.MaxBatch, c.KVCells, c.KVRetain = 4, 8192, 2048 }
	before := sweep(t, 1, base)[0]
	for name, c := range map[string]struct {
		change func(*ladder.Config)
		words  string // of the sentence
	}{
		"batch of three":   {func(c *ladder.Config) { c.MaxBatch = 3 }, "before, admitted request "},
		"no prefix cache":  {func(c *ladder.Config) { c.Rungs = []string{"paged"} }, " "},
		"nothing retained": {func(c *ladder.Config) { c.KVRetain = 1 }, "now, evicted "},
		"no chunks":        {func(c *ladder.Config) { c.PrefillBudget = 2048 }, "prefilled "},
		"no waiting":       {func(c *ladder.Config) { c.ShareWait = 0 }, "before, held 1 request back for a prefix that another computes"},
	} {
		t.Run(name, func(t *testing.T) {
			now := sweep(t, 1, func(cfg *ladder.Config) { base(cfg); c.change(cfg) })[0]
			now.Key = before.Key
			d, ok := decided.FirstDifference(&before.Cell, &now.Cell)
			require.True(t, ok)
			require.Equal(t, int64(naive(before, now)), d.Step, d.String())
			require.Contains(t, d.String(), c.words)
			require.NotEqual(t, before.Chain().Final, now.Chain().Final)
			t.Log(d)
			t.Logf("%+v", decided.Moved(&before.Cell, &now.Cell, 3))
		})
	}
}

// TestSlowerIsNoOtherDecision: where requests arrive at an idle engine, and one after the
// other whatever the load, a machine that takes half as long again decides alike. Under load
// the others do not: more arrivals wait when a step is over.
func TestSlowerIsNoOtherDecision(t *testing.T) {
	one := func(c *ladder.Config) { c.Rungs, c.Rates, c.Duration = []string{"fifo"}, []float64{8}, 6*time.Second }
	fast, slow := sweep(t, 1, one)[0], sweep(t, 1.5, one)[0]
	require.Equal(t, fast.Chain(), slow.Chain())
	require.NotEqual(t, fast.Requests, slow.Requests)
	m := decided.Moved(&fast.Cell, &slow.Cell, 1)
	require.Equal(t, m.Compared, m.Moved)

	idle := func(c *ladder.Config) {
		c.Rungs, c.Rates, c.Duration = []string{"static", "continuous", "prefix"}, []float64{0.25}, 60*time.Second
	}
	a, b := sweep(t, 1, idle), sweep(t, 1.5, idle)
	for i := range a {
		require.True(t, alone(a[i].records) && alone(b[i].records), "the load is to find the engine idle")
		require.Equal(t, a[i].Chain(), b[i].Chain(), a[i].Key.Rung)
		require.Equal(t, -1, naive(a[i], b[i]))
	}

	loaded := func(c *ladder.Config) {}
	x, y := sweep(t, 1, loaded)[0], sweep(t, 1.5, loaded)[0]
	_, differs := decided.FirstDifference(&x.Cell, &y.Cell)
	require.True(t, differs)
}

// alone says whether every request had ended when the next one arrived.
func alone(records []results.Record) bool {
	for i := 1; i < len(records); i++ {
		if records[i-1].Ended.V >= records[i].Intended {
			return false
		}
	}
	return len(records) > 5 && slices.IsSortedFunc(records, func(a, b results.Record) int { return int(a.Intended - b.Intended) })
}
