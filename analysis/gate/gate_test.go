package gate

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/decided"
)

// budget returns the budget of a metric.
func budget(t *testing.T, metric string) Budget {
	t.Helper()
	i := index(Budgets(), metric)
	require.Less(t, i, len(Budgets()), metric)
	return Budgets()[i]
}

func provenance() Provenance {
	return Provenance{
		Command: "cadence-bench gate --update", Calibration: "c0ffee", Ladder: "gate", LadderFile: "1adde4", EngineSource: "e",
		Rungs: []string{"fifo", "conformal-95"}, Load: Load{Workload: "w", Rates: []float64{1, 2}, Seeds: []uint64{1, 2}, DurationS: 60, SLOS: 2},
		Tapes: []Tape{{1, 1, 60, "a"}, {1, 2, 61, "b"}, {2, 1, 120, "c"}, {2, 2, 119, "d"}},
	}
}

// whole is a baseline in which every budget has a figure at every rung and rate.
func whole() Baseline {
	b := Baseline{Schema: Schema, History: []Reason{{Date: "2026-01-02", Reason: "first", EngineSource: "e"}}}
	b.Provenance = provenance()
	b.Decisions = []Decisions{{"fifo-1rps-s1", decided.Chain{Lines: 3, Final: "f"}}}
	for _, rung := range b.Provenance.Rungs {
		for _, rate := range b.Provenance.Load.Rates {
			for i, metric := range Budgets() {
				f := Figure{Rung: rung, RateRPS: rate, Metric: metric.Metric, Value: 1000 * float64(i+1), N: metric.Least}
				if metric.Unit == "share" {
					f.Value = 0.04
				}
				if metric.OverPromise >= 0 && rung != "fifo" {
					f.Promise = new(float64)
					*f.Promise = 0.05
				}
				b.Figures = append(b.Figures, f)
			}
		}
	}
	return b
}

func with(m Measured, i int, change func(*Figure)) Measured {
	m.Figures = slices.Clone(m.Figures)
	change(&m.Figures[i])
	return m
}

func TestSamePasses(t *testing.T) {
	r := Compare(whole(), whole().Measured, Budgets())
	require.Equal(t, Pass, r.Verdict)
	require.Len(t, r.Rows, 4*len(Budgets()))
	for _, row := range r.Rows {
		require.Equal(t, Pass, row.Verdict)
		require.Zero(t, row.Change)
		require.Empty(t, row.Why)
	}
	require.Equal(t, E2EP99, r.Rows[0].Budget.Metric)
	require.Equal(t, "fifo", r.Rows[0].Rung)
}

func TestJudge(t *testing.T) {
	promise := 0.05
	for _, c := range []struct {
		metric   string
		was, is  float64
		promised *float64
		want     bool
	}{
		{E2EP99, 1, 1.15, nil, false},
		{E2EP99, 1, 1.151, nil, true},
		{E2EP99, 0.020, 0.029, nil, false}, // below the floor
		{E2EP99, 0.020, 0.031, nil, true},
		{TTFTP99, 1, 0.1, nil, false},
		{Goodput, 2, 1.81, nil, false},
		{Goodput, 2, 1.79, nil, true},
		{Goodput, 0, 0, nil, false},
		{Goodput, 2, 9, nil, false},
		{HitRate, 0.5, 0.481, nil, false},
		{HitRate, 0.5, 0.479, nil, true},
		{Violations, 0.01, 0.031, &promise, true},       // two points worse
		{Violations, 0.055, 0.069, &promise, false},     // above the promise, within what is allowed
		{Violations, 0.055, 0.0701, &promise, true},     // and beyond
		{Violations, 0.055, 0.0701, nil, false},         // nobody promised
		{Violations, 0.090, 0.080, &promise, false},     // better, if not good
		{Violations, 0.090, 0.0901, &promise, true},     // no room is left
		{Steps, 0, 20, nil, false},                      // below the floor
		{Steps, 0, 21, nil, true},                       // no share of 0 is enough
		{Steps, 1000, 1100, nil, false},                 // the limit itself
		{Steps, 1000, 1101, nil, true},                  //
		{Allocs, 12, 12, nil, false},                    //
		{Allocs, 12, 13, nil, true},                     //
		{Allocs, 12, 3, nil, false},                     //
		{Evicted, math.Inf(1), 1, nil, false},           // bounds
		{Evicted, 1, math.Inf(1), nil, true},            //
		{Goodput, math.Inf(1), 1, nil, true},            //
		{Goodput, math.Inf(1), math.Inf(1), nil, false}, //
	} {
		require.Equal(t, c.want, budget(t, c.metric).judge(c.was, c.is, c.promised), "%+v", c)
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		metric         string
		was, is        float64
		wasBound, isOK bool // the baseline's is a bound; the run's is exact
		want           Verdict
	}{
		{E2EP99, 10, 10, false, true, Pass},
		{E2EP99, 10, 10, false, false, NotMeasurable},
		{E2EP99, 10, 12, false, false, Regression}, // at least 12
		{E2EP99, 10, 10, true, false, NotMeasurable},
		{E2EP99, 10, 10, true, true, Pass},
		{E2EP99, 10, 12, true, true, NotMeasurable},
		{Goodput, 10, 10, false, false, Pass}, // at least as much
		{Goodput, 10, 8, false, false, NotMeasurable},
		{Goodput, 10, 8, true, true, Regression},
		{Goodput, 10, 10, true, true, NotMeasurable},
		{Goodput, 10, 10, true, false, NotMeasurable},
	} {
		b := budget(t, c.metric)
		row := Row{Budget: b, Verdict: NotMeasurable, Baseline: &Figure{Value: c.was, Bound: c.wasBound}, Now: &Figure{Value: c.is, Bound: !c.isOK}}
		row.judge()
		require.Equal(t, c.want, row.Verdict, "%+v", c)
		require.Equal(t, c.want == Pass, row.Why == "")
	}
}

func TestNotMeasurable(t *testing.T) {
	first := func(change func(*Figure)) func(*Baseline, *Measured) {
		return func(_ *Baseline, m *Measured) { *m = with(*m, 0, change) }
	}
	promised := slices.IndexFunc(whole().Figures, func(f Figure) bool { return f.Promise != nil })
	for name, c := range map[string]struct {
		change func(*Baseline, *Measured)
		says   string
	}{
		"schema":      {func(b *Baseline, _ *Measured) { b.Schema = 0 }, "the baseline is of schema 0, this version's is 1"},
		"calibration": {func(_ *Baseline, m *Measured) { m.Provenance.Calibration = "beef" }, "the baseline is of another calibration: c0ffee, now beef"},
		"ladder":      {func(_ *Baseline, m *Measured) { m.Provenance.Ladder = "" }, "the baseline is of another ladder: gate, now none"},
		"rungs":       {func(_ *Baseline, m *Measured) { m.Provenance.Rungs = []string{"fifo"} }, "the baseline is of another choice of rungs: [fifo conformal-95], now [fifo]"},
		"rates":       {func(b *Baseline, _ *Measured) { b.Provenance.Load.Rates = []float64{1} }, "the baseline is of another load: "},
		"tapes":       {func(_ *Baseline, m *Measured) { m.Provenance.Tapes = []Tape{{1, 1, 60, "x"}} }, "the baseline is of other tapes"},
		"void":        {func(_ *Baseline, m *Measured) { m.Void = []Void{{"fifo-1", "not sent"}} }, "the cell fifo-1 is void: not sent"},
		"void then":   {func(b *Baseline, _ *Measured) { b.Void = []Void{{"fifo-1", "not sent"}} }, "the baseline's cell fifo-1 is void: not sent"},
		"twice":       {func(_ *Baseline, m *Measured) { m.Figures = append(slices.Clone(m.Figures), m.Figures[0]) }, "the run has two figures for e2e_p99_s of fifo at 1/s"},
		"few":         {first(func(f *Figure) { f.N = LeastTail - 1 }), "the value is of 99 requests, and it takes 100"},
		"few then":    {func(b *Baseline, _ *Measured) { b.Measured = with(b.Measured, 0, func(f *Figure) { f.N = 3 }) }, "the baseline's value is of 3 requests, and it takes 100"},
		"nan":         {first(func(f *Figure) { f.Value = math.NaN() }), "the value is NaN"},
		"inf":         {first(func(f *Figure) { f.Value = math.Inf(1) }), "the value is +Inf"},
		"gone":        {func(_ *Baseline, m *Measured) { m.Figures = m.Figures[1:] }, "the run lacks it"},
		"rate gone": {func(b *Baseline, _ *Measured) {
			b.Figures = slices.DeleteFunc(b.Figures, func(f Figure) bool { return f.RateRPS == 2 })
		}, "the baseline lacks it"},
		"never there": {func(b *Baseline, m *Measured) { b.Figures, m.Figures = b.Figures[1:], m.Figures[1:] }, "it was measured neither then nor now"},
		"new":         {first(func(f *Figure) { f.Metric = "other" }), "no budget is set for it"},
		"promise":     {func(_ *Baseline, m *Measured) { *m = with(*m, promised, func(f *Figure) { f.Promise = nil }) }, "the two promise different things"},
		"nothing":     {func(b *Baseline, m *Measured) { b.Provenance, b.Figures = Provenance{}, nil; *m = b.Measured }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, m := whole(), whole().Measured
			c.change(&b, &m)
			r := Compare(b, m, Budgets())
			require.Equal(t, NotMeasurable, r.Verdict)
			said := slices.Clone(r.Obstacles)
			for _, row := range r.Rows {
				if row.Verdict != Pass {
					said = append(said, row.Why)
				}
			}
			require.True(t, c.says == "" || slices.ContainsFunc(said, func(s string) bool { return len(s) >= len(c.says) && s[:len(c.says)] == c.says }), "%q", said)
		})
	}
}

// TestRegressionStands: what was seen to be worse is worse, whatever else is missing.
func TestRegressionStands(t *testing.T) {
	m := with(whole().Measured, 0, func(f *Figure) { f.Value *= 2 })
	m = with(m, 1, func(f *Figure) { f.Value = math.NaN() })
	m.Void = []Void{{"fifo-1", "not sent"}}
	require.Equal(t, Regression, Compare(whole(), m, Budgets()).Verdict)
}

func TestOnly(t *testing.T) {
	b, now := whole(), whole().Measured.Only("conformal-95")
	require.Equal(t, NotMeasurable, Compare(b, now, Budgets()).Verdict)
	b.Measured = b.Measured.Only("conformal-95")
	r := Compare(b, now, Budgets())
	require.Equal(t, Pass, r.Verdict)
	require.Len(t, r.Rows, 2*len(Budgets()))
	require.Equal(t, whole().Measured, whole().Only())
	require.Equal(t, NotMeasurable, Compare(Baseline{Schema: Schema, Measured: whole().Only("none")}, whole().Only("none"), Budgets()).Verdict)
}

func TestFileReadsBack(t *testing.T) {
	b := whole()
	data, err := b.Encode()
	require.NoError(t, err)
	again, err := Parse(data)
	require.NoError(t, err)
	require.Equal(t, b, again)

	nan := whole()
	nan.Figures[0].Value = math.NaN()
	_, err = nan.Encode()
	require.ErrorContains(t, err, "e2e_p99_s of fifo at 1/s")

	for says, change := range map[string]func(map[string]any){
		"schema 2 and this version reads 1": func(m map[string]any) { m["schema"] = 2 },
		"its history is empty":              func(m map[string]any) { m["history"] = []any{} },
		"it has no figures":                 func(m map[string]any) { m["figures"] = nil },
		"unknown field":                     func(m map[string]any) { m["extra"] = 1 },
	} {
		var m map[string]any
		require.NoError(t, json.Unmarshal(data, &m))
		change(m)
		changed, err := json.Marshal(m)
		require.NoError(t, err)
		_, err = Parse(changed)
		require.ErrorContains(t, err, says)
	}
	_, err = Parse([]byte("no"))
	require.ErrorContains(t, err, "it is no baseline")
}

// TestOrderDoesNotMatter: figures and tapes may come in any order.
func TestOrderDoesNotMatter(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 2))
	want := Compare(whole(), with(whole().Measured, 3, func(f *Figure) { f.Value = 0 }), Budgets())
	require.Equal(t, Regression, want.Verdict)
	for range 50 {
		b, m := whole(), with(whole().Measured, 3, func(f *Figure) { f.Value = 0 })
		for _, side := range []*Measured{&b.Measured, &m} {
			src.Shuffle(len(side.Figures), func(i, j int) { side.Figures[i], side.Figures[j] = side.Figures[j], side.Figures[i] })
			src.Shuffle(len(side.Provenance.Tapes), func(i, j int) {
				side.Provenance.Tapes[i], side.Provenance.Tapes[j] = side.Provenance.Tapes[j], side.Provenance.Tapes[i]
			})
		}
		require.Equal(t, want, Compare(b, m, Budgets()))
	}
}

// FuzzCompare: one figure changes. Worse by more than floor and limit is a regression,
// no worse is a pass, what is not a number never passes, and nothing else is touched.
func FuzzCompare(f *testing.F) {
	for i := range Budgets() {
		f.Add(uint8(i), 1.0, 1.2)
		f.Add(uint8(i), 0.5, 0.4)
		f.Add(uint8(i), 0.0, 30.0)
		f.Add(uint8(i), math.NaN(), 1.0)
		f.Add(uint8(i), 1.0, math.Inf(1))
	}
	f.Fuzz(func(t *testing.T, which uint8, was, is float64) {
		i := int(which) % len(whole().Figures)
		b := whole()
		b.Figures[i].Value = was
		m := with(b.Measured, i, func(f *Figure) { f.Value = is })
		r := Compare(b, m, Budgets())
		row := r.Rows[slices.IndexFunc(r.Rows, func(r Row) bool { return r.Now.place() == m.Figures[i].place() })]
		require.Equal(t, row.Verdict, r.Verdict)
		worse := is - was
		if row.Budget.Higher {
			worse = -worse
		}
		allowed := row.Budget.Limit
		if row.Budget.Kind == Relative {
			allowed *= math.Abs(was)
		}
		switch {
		case math.IsNaN(was) || math.IsNaN(is) || math.IsInf(was, 0) || math.IsInf(is, 0):
			require.Equal(t, NotMeasurable, r.Verdict)
		case worse <= 0:
			require.Equal(t, Pass, r.Verdict)
		case worse > max(allowed, row.Budget.Floor):
			require.Equal(t, Regression, r.Verdict)
		case row.Now.Promise == nil || row.Budget.OverPromise < 0:
			require.Equal(t, Pass, r.Verdict)
		}
		require.Equal(t, r.Verdict == Pass, row.Why == "")
	})
}
