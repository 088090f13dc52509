package twin

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
)

var small = engine.Limits{Seqs: 3, SeqCells: 8, Cells: 24, Rows: 6, Vocab: 100}

// rows are n of a sequence from a position on; the last asks for output.
func rows(seq, from, n int32) (all []engine.Row) {
	for i := range n {
		all = append(all, engine.Row{Seq: seq, Pos: from + i, Token: 10 + i, Output: i == n-1})
	}
	return all
}

// TestStepRefuses: what the real backend refuses the twin refuses, and is then as it
// was but for the edits.
func TestStepRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		batch engine.Batch
		want  string
	}{
		"too many rows":       {engine.Batch{Rows: rows(1, 0, 7)}, "7 rows, the context takes 6"},
		"unknown sequence":    {engine.Batch{Rows: rows(3, 0, 1)}, "row 0 has sequence 3"},
		"negative sequence":   {engine.Batch{Rows: rows(-1, 0, 1)}, "row 0 has sequence -1"},
		"a gap":               {engine.Batch{Rows: rows(0, 5, 1)}, "row 0 has position 5 in sequence 0, which goes on at 4"},
		"a position again":    {engine.Batch{Rows: append(rows(0, 4, 1), rows(0, 4, 1)...)}, "row 1 has position 4 in sequence 0, which goes on at 5"},
		"unknown token":       {engine.Batch{Rows: []engine.Row{{Seq: 0, Pos: 4, Token: 100}}}, "token 100 out of 0 to 99"},
		"temperature":         {engine.Batch{Rows: []engine.Row{{Seq: 0, Pos: 4, Output: true, Sampling: engine.Sampling{Temperature: -1}}}}, "temperature -1"},
		"edit of an unknown":  {engine.Batch{Ops: []engine.Op{{Seq: 9, To: -1}}}, "edit 0 names a sequence out of 0 to 2"},
		"copy of an unknown":  {engine.Batch{Ops: []engine.Op{{Kind: engine.OpCopy, Src: 9}}}, "edit 0 names a sequence out of 0 to 2"},
		"copy to itself":      {engine.Batch{Ops: []engine.Op{{Kind: engine.OpCopy}}}, "copies a sequence to itself"},
		"unknown edit":        {engine.Batch{Ops: []engine.Op{{Kind: 7}}}, "unknown kind"},
		"removal from within": {engine.Batch{Ops: []engine.Op{{From: 1, To: 3}}}, "from within sequence 0"},
	} {
		for _, unified := range []bool{false, true} {
			b, err := New(Config{Limits: small, Unified: unified, Cost: flat()})
			require.NoError(t, err)
			var res engine.StepResult
			require.NoError(t, b.Step(&engine.Batch{Rows: rows(0, 0, 4)}, &res))
			require.ErrorContains(t, b.Step(&tt.batch, &res), tt.want, name)
			require.Empty(t, res.Tokens)
			require.NoError(t, b.Step(&engine.Batch{Rows: rows(0, 4, 1)}, &res), name)
			require.Equal(t, 5, res.Use.Cells)
		}
	}
}

// TestNoSlot: rows without cells leave the cache as the edits made it, and can be given
// again, with the answer that they would have had.
func TestNoSlot(t *testing.T) {
	for _, unified := range []bool{false, true} {
		lim := small
		if unified {
			lim.Cells = 8
		}
		b, err := New(Config{Limits: lim, Unified: unified, Cost: flat()})
		require.NoError(t, err)
		var res engine.StepResult
		step := func(batch engine.Batch) error { return b.Step(&batch, &res) }
		require.NoError(t, step(engine.Batch{Rows: rows(0, 0, 6)}))
		more := rows(0, 6, 3)
		require.ErrorIs(t, step(engine.Batch{Rows: more}), engine.ErrNoSlot)
		require.Empty(t, res.Tokens)
		require.Equal(t, time.Millisecond, res.Modelled)
		require.ErrorIs(t, step(engine.Batch{Ops: []engine.Op{{Kind: engine.OpCopy, Src: 0, Seq: 1}}, Rows: more}), engine.ErrNoSlot)
		require.NoError(t, step(engine.Batch{Ops: []engine.Op{{Seq: 0, To: -1}, {Seq: 1, From: 5, To: -1}}}))
		require.Equal(t, 5, res.Use.Cells)
		require.NoError(t, step(engine.Batch{Rows: rows(1, 5, 3)}))
		require.Equal(t, Solo([]engine.Token{10, 11, 12, 13, 14, 10, 11, 12}, 1, lim.Vocab), res.Tokens)
	}
}

func TestAbortAndClose(t *testing.T) {
	b, err := New(Config{Limits: small, Cost: flat()})
	require.NoError(t, err)
	var res engine.StepResult
	b.Abort()
	require.ErrorIs(t, b.Step(&engine.Batch{Rows: rows(0, 0, 1)}, &res), engine.ErrAborted)
	require.Zero(t, b.Counts())
	require.NoError(t, b.Close())
	require.ErrorContains(t, b.Step(&engine.Batch{Rows: rows(0, 0, 1)}, &res), "closed")
	require.Error(t, b.Close())
}

func TestConfigIsChecked(t *testing.T) {
	with := func(change func(*Config)) Config {
		c := Config{Limits: small, Cost: flat()}
		change(&c)
		return c
	}
	for want, c := range map[string]Config{
		"each must be at least 1":      with(func(c *Config) { c.Limits.Rows = 0 }),
		"tokens below 101":             with(func(c *Config) { c.Vocab = 101 }),
		"cost of row_4: -1 seconds":    with(func(c *Config) { c.Cost.Seconds[Row4] = -1 }),
		"cost of pass_1: NaN seconds":  with(func(c *Config) { c.Cost.Seconds[Pass1] = math.NaN() }),
		"every term costs nothing":     with(func(c *Config) { c.Cost = Cost{} }),
		"noise of deviation -1":        with(func(c *Config) { c.Cost.Noise.Sigma = -1 }),
		"noise of autocorrelation 1: ": with(func(c *Config) { c.Cost.Noise.Rho = 1 }),
	} {
		_, err := New(c)
		require.ErrorContains(t, err, want)
	}
}

// TestTokensAreOrdinary: no special token is given, and all others are.
func TestTokensAreOrdinary(t *testing.T) {
	for vocab, want := range map[int][2]engine.Token{1: {0, 0}, 2: {0, 1}, 3: {0, 2}, 4: {3, 3}, 50: {3, 49}} {
		low, high := engine.Token(math.MaxInt32), engine.Token(-1)
		for _, tok := range Solo([]engine.Token{5}, 2000, vocab) {
			low, high = min(low, tok), max(high, tok)
		}
		require.Equal(t, want, [2]engine.Token{low, high}, "vocabulary of %d", vocab)
	}
}

// TestAnswerDependsOnEveryToken: another token, another order or another length gives
// another answer, and so does, above temperature 0, another seed.
func TestAnswerDependsOnEveryToken(t *testing.T) {
	const vocab = 1 << 30
	seen := map[engine.Token]string{}
	add := func(name string, prompt []engine.Token, s engine.Sampling) {
		tok := SoloSampled(prompt, 1, vocab, s)[0]
		require.Empty(t, seen[tok], "%s is answered as %s", name, seen[tok])
		seen[tok] = name
	}
	prompt := []engine.Token{1, 2, 3, 4}
	add("the prompt", prompt, engine.Sampling{})
	for i := range prompt {
		other := append([]engine.Token(nil), prompt...)
		other[i]++
		add("another token", other, engine.Sampling{})
	}
	add("another order", []engine.Token{2, 1, 3, 4}, engine.Sampling{})
	add("shorter", prompt[:3], engine.Sampling{})
	add("longer", append(prompt, 0), engine.Sampling{})
	add("drawn", prompt, engine.Sampling{Temperature: 1, Seed: 1})
	add("drawn by another seed", prompt, engine.Sampling{Temperature: 1, Seed: 2})
	require.Equal(t, Solo(prompt, 5, vocab), SoloSampled(prompt, 5, vocab, engine.Sampling{Seed: 9}), "a seed counts for nothing at temperature 0")
	n := SoloSampled(prompt, 3, vocab, engine.Sampling{Temperature: 1})
	require.Equal(t, n[2:], SoloSampled(append(prompt, n[:2]...), 1, vocab, engine.Sampling{Temperature: 1}), "an answer goes on as its own prompt")
}

// TestDurations: a step takes what its work costs, in parts that add up, and counts as
// extrapolated when the cost was fitted on less.
func TestDurations(t *testing.T) {
	var c Cost
	c.Seconds[Step], c.Seconds[Copy], c.Seconds[Pass4], c.Seconds[Row4] = 1e-3, 0.5e-3, 2e-3, 1e-4
	for i := range c.Most {
		c.Most[i] = 1e6
	}
	c.Most[Row4] = 5
	b, err := New(Config{Limits: small, Cost: c})
	require.NoError(t, err)
	var res engine.StepResult
	require.NoError(t, b.Step(&engine.Batch{Rows: rows(0, 0, 5)}, &res))
	require.Equal(t, engine.StepResult{
		Tokens: res.Tokens, Model: 2500 * time.Microsecond, Host: time.Millisecond, Modelled: 3500 * time.Microsecond,
		Use: engine.CellUse{Known: true, Cells: 5, Top: 5},
	}, res)
	require.NoError(t, b.Step(&engine.Batch{Ops: []engine.Op{{Kind: engine.OpCopy, Src: 0, Seq: 1}}, Rows: rows(2, 0, 6)}, &res))
	require.Equal(t, 1500*time.Microsecond, res.Host)
	require.Equal(t, 2600*time.Microsecond, res.Model)
	require.NoError(t, b.Step(&engine.Batch{Ops: []engine.Op{{Seq: 0, To: -1}}}, &res))
	require.Equal(t, time.Duration(1), res.Modelled, "edits that cost nothing, and yet not 0")
	require.Equal(t, Counts{Steps: 2, Extrapolated: 1}, b.Counts())
}

// TestNoise: the factors have the moments that they were fitted with and repeat with
// their seed.
func TestNoise(t *testing.T) {
	want := Noise{Sigma: 0.3, Rho: 0.8}
	logs := func(seed uint64) []float64 {
		c := flat()
		c.Noise = want
		b, err := New(Config{Limits: small, Cost: c, Noise: true, Seed: seed})
		require.NoError(t, err)
		var out []float64
		var res engine.StepResult
		for range 20_000 {
			require.NoError(t, b.Step(&engine.Batch{Ops: []engine.Op{{Seq: 0, To: -1}}, Rows: rows(0, 0, 1)}, &res))
			out = append(out, math.Log(float64(res.Modelled)/1e6))
		}
		return out
	}
	x := logs(1)
	require.Equal(t, x, logs(1))
	require.NotEqual(t, x, logs(2))
	mean, square, product := 0.0, 0.0, 0.0
	for i, v := range x {
		mean += v / float64(len(x))
		square += v * v / float64(len(x))
		if i > 0 {
			product += v * x[i-1] / float64(len(x))
		}
	}
	// Five standard errors of each estimate: of the mean sigma·sqrt((1+rho)/(1-rho)/n),
	// of the deviation sigma·sqrt((1+rho²)/(1-rho²)/2n), of rho sqrt((1-rho²)/n).
	require.InDelta(t, 0, mean, 5*0.3*math.Sqrt(9.0/20_000))
	require.InDelta(t, want.Sigma, math.Sqrt(square), 5*0.3*math.Sqrt(1.64/0.36/40_000))
	require.InDelta(t, want.Rho, product/square, 5*math.Sqrt(0.36/20_000))
}

// TestCloseWaits is for the race detector: Abort and Close come from elsewhere.
func TestCloseWaits(t *testing.T) {
	b, err := New(Config{Limits: small, Cost: flat()})
	require.NoError(t, err)
	done := make(chan error)
	go func() {
		var res engine.StepResult
		for {
			if err := b.Step(&engine.Batch{Ops: []engine.Op{{Seq: 0, To: -1}}, Rows: rows(0, 0, 2)}, &res); err != nil {
				done <- err
				return
			}
		}
	}()
	b.Abort()
	err = <-done
	require.NoError(t, b.Close())
	require.True(t, errors.Is(err, engine.ErrAborted))
}
