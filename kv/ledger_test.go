package kv

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLedger(t *testing.T) {
	l, err := NewLedger(1)
	require.NoError(t, err)
	a, b := Promise{Firm: 3, Growth: 2}, Promise{Firm: 1}
	l.Add(a)
	require.Equal(t, 5, l.Promised())
	require.Equal(t, 3, l.Spare(8))
	require.True(t, l.Fits(Promise{1, 2}, 8))
	require.False(t, l.Fits(Promise{1, 3}, 8))

	l.Add(b)
	require.NoError(t, l.Draw(&a, 4))
	require.Equal(t, Promise{0, 1}, a)
	require.ErrorIs(t, l.Draw(&a, 2), ErrBeyondPromise)
	require.ErrorIs(t, l.Draw(&a, -1), ErrBeyondPromise)
	require.Equal(t, 2, l.Promised())
	l.Cancel(&a)
	l.Cancel(&a)
	require.Equal(t, 1, l.Promised())
	l.Cancel(&b)
	require.Zero(t, l.Promised())
}

func TestLedgerShare(t *testing.T) {
	for _, bad := range []float64{-0.1, 1.1, math.NaN()} {
		_, err := NewLedger(bad)
		require.Error(t, err)
	}
	l := must(NewLedger(0.5))
	l.Add(Promise{Firm: 4, Growth: 3})
	require.Equal(t, 6, l.Promised()) // 4 + ceil(1.5)
	require.True(t, l.Fits(Promise{Firm: 1, Growth: 1}, 7))
	require.False(t, l.Fits(Promise{Firm: 2, Growth: 1}, 7))
}

// TestLedgerDifferential compares the ledger with a list of promises, and shows
// that requests that fit when they came can always draw what they were promised.
func TestLedgerDifferential(t *testing.T) {
	differential(t, 6, 200, driveLedger, "promised", "refused", "drawn", "drawn to the last block", "cancelled", "all promised")
}

func FuzzLedger(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { driveLedger(&prog{data: data, t: t, seen: reached{}}) })
}

func driveLedger(p *prog) {
	available := 20
	l := must(NewLedger(1))
	var open []*Promise
	var drawn []int
	sum := func() (n int) {
		for _, o := range open {
			n += o.Firm + o.Growth
		}
		return n
	}
	for !p.done() {
		switch i := p.pick(max(1, len(open))); p.pick(8) {
		case 0, 1:
			n := Promise{p.pick(6), p.pick(6)}
			fits := sum()+n.Firm+n.Growth <= available
			require.Equal(p.t, fits, l.Fits(n, available))
			p.see("promised", fits)
			p.see("refused", !fits)
			if fits {
				l.Add(n)
				open, drawn = append(open, &n), append(drawn, 0)
			}
		case 2, 3, 4, 5, 6:
			if len(open) == 0 {
				break
			}
			n := p.pick(5)
			left := open[i].Firm + open[i].Growth
			err := l.Draw(open[i], n)
			require.Equal(p.t, n <= left, err == nil)
			if err == nil {
				available -= n
				drawn[i] += n
				p.see("drawn", n > 0)
				p.see("drawn to the last block", n > 0 && available == 0)
			}
			require.GreaterOrEqual(p.t, available, 0)
		case 7:
			if len(open) == 0 {
				break
			}
			l.Cancel(open[i])
			available += drawn[i]
			open, drawn = append(open[:i], open[i+1:]...), append(drawn[:i], drawn[i+1:]...)
			p.see("cancelled", true)
		}
		require.Equal(p.t, sum(), l.Promised())
		require.LessOrEqual(p.t, l.Promised(), available)
		p.see("all promised", len(open) > 0 && l.Promised() == available)
	}
}
