package clock_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
)

const ms = time.Millisecond

// script schedules a mix of timers, cancellations and modelled work on c and
// returns the log of what ran when.
func script(c clock.Clock, seed uint64) *[]string {
	log := &[]string{}
	note := func(what string) { *log = append(*log, fmt.Sprintf("%v %s", c.Now(), what)) }
	rng := rand.New(rand.NewPCG(seed, 1))
	var spawn func(depth int, name string)
	spawn = func(depth int, name string) {
		note(name)
		if depth == 0 {
			return
		}
		for i := range 3 {
			child := fmt.Sprintf("%s.%d", name, i)
			d := time.Duration(rng.IntN(5)) * ms
			switch rng.IntN(4) {
			case 0:
				c.Go(func() time.Duration { return d + ms }, func(end time.Duration) {
					note(fmt.Sprintf("%s done at %v", child, end))
					spawn(depth-1, child)
				})
			case 1:
				c.At(c.Now()+d, func() { note(child + " must not run") }).Cancel()
			default:
				c.At(c.Now()+d, func() { spawn(depth-1, child) })
			}
		}
	}
	c.At(2*ms, func() { spawn(6, "a") })
	c.At(ms, func() { spawn(6, "b") })
	c.At(time.Second, c.Stop)
	return log
}

// TestVirtualAndWallAgree is the promise on which everything simulated rests:
// the same callbacks run in the same order at the same times on both clocks.
func TestVirtualAndWallAgree(t *testing.T) {
	for seed := range uint64(20) {
		v := clock.NewVirtual()
		virtual := script(v, seed)
		require.NoError(t, v.Run(t.Context()))
		require.Greater(t, len(*virtual), 10)

		synctest.Test(t, func(t *testing.T) {
			w := clock.NewWall()
			wall := script(w, seed)
			require.NoError(t, w.Run(t.Context()))
			require.Equal(t, *virtual, *wall)
		})
	}
}

func TestOrderIsDueThenScheduling(t *testing.T) {
	c := clock.NewVirtual()
	var got []string
	add := func(at time.Duration, name string) {
		c.At(at, func() { got = append(got, fmt.Sprintf("%s@%v", name, c.Now())) })
	}
	add(2*ms, "late")
	add(ms, "first")
	add(ms, "second")
	c.At(ms, func() { add(0, "overdue") })
	require.ErrorIs(t, c.Run(t.Context()), clock.ErrIdle)
	require.Equal(t, []string{"first@1ms", "second@1ms", "overdue@1ms", "late@2ms"}, got)
}

// TestWorkEndIsNotInflatedByTheLoop: a completion that waits behind a slow
// callback still says when the work ended.
func TestWorkEndIsNotInflatedByTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock.NewWall()
		var end, seen time.Duration
		c.At(0, func() {
			c.Go(func() time.Duration { time.Sleep(3 * ms); return 0 }, func(e time.Duration) {
				end, seen = e, c.Now()
				c.Stop()
			})
		})
		c.At(ms, func() { time.Sleep(10 * ms) }) // a stalled loop
		require.NoError(t, c.Run(t.Context()))
		require.Equal(t, 3*ms, end)
		require.Equal(t, 11*ms, seen)
	})
}

// TestLateTimersKeepTheSchedule: lateness of one callback must not move the next.
func TestLateTimersKeepTheSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock.NewWall()
		var ran []time.Duration
		for i := range 5 {
			c.At(time.Duration(i)*ms, func() {
				ran = append(ran, c.Now())
				if i == 1 {
					time.Sleep(2500 * time.Microsecond)
				}
			})
		}
		c.At(6*ms, c.Stop)
		require.NoError(t, c.Run(t.Context()))
		require.Equal(t, []time.Duration{0, ms, 3500 * time.Microsecond, 3500 * time.Microsecond, 4 * ms}, ran)
	})
}

func TestPostFromOtherGoroutines(t *testing.T) {
	c := clock.NewWall()
	const n = 100
	ran := 0 // only the loop touches it: the race detector is the check
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			c.Post(func() {
				if ran++; ran == n {
					c.Stop()
				}
			})
		})
	}
	require.NoError(t, c.Run(t.Context()))
	wg.Wait()
	require.Equal(t, n, ran)
}

func TestRunEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*ms)
		defer cancel()
		require.ErrorIs(t, clock.NewWall().Run(ctx), context.DeadlineExceeded)
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, clock.NewVirtual().Run(ctx), context.Canceled)
}

// TestFineWallKeepsTheOrder: the system's timer rings for every event, whatever
// is posted meanwhile, and Time is never behind a callback.
func TestFineWallKeepsTheOrder(t *testing.T) {
	c := clock.NewFineWall()
	const n = 200
	var due []time.Duration
	posts := 0
	for i := range n {
		at := time.Duration(i*i%97) * 50 * time.Microsecond
		c.At(at, func() {
			require.GreaterOrEqual(t, c.Now(), at)
			require.GreaterOrEqual(t, c.Time(), c.Now())
			due = append(due, at)
			go c.Post(func() {
				if posts++; posts == n {
					c.Stop()
				}
			})
		})
	}
	require.NoError(t, c.Run(t.Context()))
	require.Len(t, due, n)
	require.IsNonDecreasing(t, due)
}
