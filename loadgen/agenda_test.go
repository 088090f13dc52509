package loadgen

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAgenda(t *testing.T) {
	var a agenda
	for i, at := range []time.Duration{7, 3, 1, 3} {
		a.push(at, i)
	}
	drain := func(now time.Duration) (all []int) {
		for {
			i, ok := a.due(now)
			if !ok {
				return all
			}
			all = append(all, i)
		}
	}
	require.Empty(t, drain(0))
	require.Equal(t, []int{2}, drain(1), "due at its very time")
	require.Empty(t, drain(2), "woken early: nothing to do")
	a.push(2, 9) // a turn that comes before what was the earliest
	e, ok := a.next()
	require.True(t, ok)
	require.Equal(t, entry{2, 9}, e)
	require.Equal(t, []int{9, 1, 3, 0}, drain(99), "woken late: all that fell due, in order")
	_, ok = a.next()
	require.False(t, ok)
}

// Against a sorted list.
func TestAgendaAgainstAList(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		var a agenda
		var list []entry
		for i := range 200 {
			if r.IntN(3) > 0 {
				e := entry{time.Duration(r.IntN(40)), i}
				a.push(e.at, e.request)
				list = append(list, e)
				slices.SortStableFunc(list, func(x, y entry) int { return int(x.at - y.at) })
				continue
			}
			now := time.Duration(r.IntN(40))
			got, ok := a.due(now)
			require.Equal(t, len(list) > 0 && list[0].at <= now, ok)
			if ok {
				require.Equal(t, list[0].request, got)
				list = list[1:]
			}
		}
	}
}
