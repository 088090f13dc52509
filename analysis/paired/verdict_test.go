package paired

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// logs are pairs around a slowdown that scatter by ±spread.
func logs(slowdown, spread float64, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = math.Log1p(slowdown) + spread*(2*float64(i)/float64(n-1)-1)
	}
	return d
}

func TestJudge(t *testing.T) {
	rule := DefaultRule()
	for name, tt := range map[string]struct {
		logs []float64
		want Verdict
		why  string
	}{
		"equal":                     {logs(0, 0.02, 10), Pass, "slower by less than 5%"},
		"faster":                    {logs(-0.2, 0.02, 10), Pass, "slower by less than 5%"},
		"slower, within the margin": {logs(0.02, 0.02, 10), Pass, "slower by less than 5%"},
		"a tenth slower":            {logs(0.10, 0.02, 10), Regression, "slower, and by 5% or more in the estimate"},
		"slower, by about 5%":       {logs(0.045, 0.05, 10), Inconclusive, "slower, but whether by less than 5% is not shown"},
		"too noisy":                 {logs(0, 0.3, 10), Inconclusive, "neither shown to be slower, nor by less than 5%"},
		"a tenth slower, too noisy": {logs(0.10, 0.5, 10), Inconclusive, "neither shown to be slower, nor by less than 5%"},
		"too few":                   {logs(0.5, 0.01, 4), Inconclusive, "4 pairs; a bound of 95% takes 5"},
		"none":                      {nil, Inconclusive, "0 pairs; a bound of 95% takes 5"},
		"no number":                 {append(logs(0, 0.01, 9), math.NaN()), Inconclusive, "pair 10 has no ratio"},
		"never ended":               {append(logs(0, 0.01, 9), math.Inf(1)), Inconclusive, "pair 10 has no ratio"},
	} {
		t.Run(name, func(t *testing.T) {
			j := rule.Judge(tt.logs)
			require.Equal(t, tt.want, j.Verdict, "%+v", j)
			require.Equal(t, tt.why, j.Reason)
			require.Equal(t, len(tt.logs), j.Pairs)
		})
	}
}

func TestMinPairs(t *testing.T) {
	for confidence, want := range map[float64]int{0.5: 1, 0.75: 2, 0.95: 5, 0.975: 6, 0.99: 7} {
		rule := Rule{Margin: 0.05, Confidence: confidence, Power: 0.8}
		require.NoError(t, rule.Check())
		require.Equal(t, want, rule.MinPairs(), confidence)
		require.Positive(t, criticalRank(want, 1-confidence))
		require.Zero(t, criticalRank(want-1, 1-confidence))
	}
}

func TestRuleCheck(t *testing.T) {
	for _, r := range []Rule{{}, {0, 0.95, 0.8}, {1.1, 0.95, 0.8}, {0.05, 1, 0.8}, {0.05, 0.4, 0.8}, {0.05, 0.95, 1}, {math.NaN(), 0.95, 0.8}} {
		require.Error(t, r.Check(), "%+v", r)
	}
	require.NoError(t, DefaultRule().Check())
}

func TestPairsFor(t *testing.T) {
	rule := DefaultRule()
	narrow, wide := rule.Judge(logs(0, 0.01, 10)), rule.Judge(logs(0, 0.2, 10))
	require.Equal(t, rule.MinPairs(), rule.PairsFor(narrow))
	require.Greater(t, rule.PairsFor(wide), 20)
	require.Zero(t, rule.PairsFor(rule.Judge(nil)))
}

func TestUnequalWork(t *testing.T) {
	good := Segment{Tape: "t", Requests: 10, Completed: 10, Prompt: 1600, Output: 320, Answers: "h", Seconds: 1}
	change := func(f func(*Segment)) Segment { s := good; f(&s); return s }
	require.Empty(t, Unequal(good, change(func(s *Segment) { s.Seconds = 9 })))
	for want, b := range map[string]Segment{
		"B answered 9 of 10 requests":                                      change(func(s *Segment) { s.Completed = 9 }),
		"B was asked nothing":                                              change(func(s *Segment) { s.Requests, s.Completed = 0, 0 }),
		"B took 0 s":                                                       change(func(s *Segment) { s.Seconds = 0 }),
		"A and B replayed different tapes":                                 change(func(s *Segment) { s.Tape = "u" }),
		"the prompts were 1600 tokens in A and 1599 in B":                  change(func(s *Segment) { s.Prompt-- }),
		"A gave 320 tokens and B 319":                                      change(func(s *Segment) { s.Output-- }),
		"the answers to single requests have other lengths in A than in B": change(func(s *Segment) { s.Answers = "i" }),
	} {
		require.Equal(t, want, Unequal(good, b))
		require.NotEmpty(t, Unequal(b, good))
		pairs := make([]Pair, 10)
		for i := range pairs {
			pairs[i] = Pair{good, good}
		}
		require.Equal(t, Pass, DefaultRule().JudgePairs(pairs).Verdict)
		pairs[3].B = b
		j := DefaultRule().JudgePairs(pairs)
		require.Equal(t, Inconclusive, j.Verdict, "one such pair is enough: B may have failed what is slow")
		require.Equal(t, "pair 4 is not equal work: "+want, j.Reason)
	}
}

// From the tables in Clopper and Pearson's paper and the rule of three.
func TestShareOf(t *testing.T) {
	for _, tt := range []struct {
		k, n   int
		lo, hi float64
	}{{0, 20, 0, 0.1684}, {1, 20, 0.0013, 0.2487}, {10, 20, 0.2720, 0.7280}, {20, 20, 0.8316, 1}} {
		s := ShareOf(tt.k, tt.n, 0.95)
		require.InDelta(t, tt.lo, s.Lo, 5e-5)
		require.InDelta(t, tt.hi, s.Hi, 5e-5)
		require.Equal(t, float64(tt.k)/float64(tt.n), s.Value())
	}
}

func TestOrders(t *testing.T) {
	orders := Orders(6000, 3, 7)
	require.Equal(t, orders[:10], Orders(10, 3, 7), "a block's order is its own, however many there are")
	require.NotEqual(t, orders[:10], Orders(10, 3, 8))
	seen := map[[3]int]int{}
	for _, o := range orders {
		seen[[3]int(o)]++
	}
	require.Len(t, seen, 6)
	for o, n := range seen {
		require.InDelta(t, 1000, n, 150, "%v", o)
	}
}

func TestGates(t *testing.T) {
	var pairs []Pair
	for i := range 23 {
		a := Segment{Tape: "t", Requests: 1, Completed: 1, Seconds: 1}
		b := a
		if i >= 10 {
			b.Seconds = 1.2
		}
		pairs = append(pairs, Pair{a, b})
	}
	tally := DefaultRule().Gates(pairs, 5)
	require.Len(t, tally.Gates, 4, "what is left over is in no gate")
	require.Equal(t, 20, tally.All.Pairs)
	require.Equal(t, []int{2, 2, 0}, []int{tally.Count(Pass), tally.Count(Regression), tally.Count(Inconclusive)})
	require.Equal(t, ShareOf(2, 4, 0.95), tally.Share(Regression))
}
