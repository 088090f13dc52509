package ladder

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInOrder: whatever order the work ends in, it is taken in the order of the items.
func TestInOrder(t *testing.T) {
	items := []int{5, 3, 8, 1, 9, 2, 7, 4, 6, 0, 12, 11, 10}
	for _, workers := range []int{0, 1, 2, 5, 20} {
		gates := make([]chan struct{}, 13)
		for i := range gates {
			gates[i] = make(chan struct{})
		}
		var begun atomic.Int32
		work := func(_ context.Context, item int) (int, error) {
			if workers == 2 { // each pair of items ends in reverse
				if n := begun.Add(1) - 1; n%2 == 0 && int(n) < len(items)-1 {
					<-gates[n]
				} else if n%2 == 1 {
					close(gates[n-1])
				}
			}
			return 10 * item, nil
		}
		var taken []int
		require.NoError(t, inOrder(t.Context(), items, workers, work, func(v int) error {
			taken = append(taken, v/10)
			return nil
		}))
		require.Equal(t, items, taken, "%d workers", workers)
	}
}

// TestInOrderKeepsWhatIsDone: an error stops what has not begun, what was done before
// or beside it is still taken, and the first error is the one that is told.
func TestInOrderKeepsWhatIsDone(t *testing.T) {
	boom := errors.New("boom")
	items := make([]int, 100)
	for i := range items {
		items[i] = i
	}
	for _, workers := range []int{1, 3} {
		var worked atomic.Int32
		var taken []int
		err := inOrder(t.Context(), items, workers, func(ctx context.Context, item int) (int, error) {
			worked.Add(1)
			if item == 10 {
				return 0, boom
			}
			return item, ctx.Err()
		}, func(v int) error {
			taken = append(taken, v)
			return nil
		})
		require.ErrorIs(t, err, boom)
		require.Equal(t, items[:10], taken[:10])
		require.True(t, slices.IsSorted(taken))
		require.NotContains(t, taken, 10)
		require.Less(t, int(worked.Load()), 11+(ahead+1)*workers+1, "%d workers", workers)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := inOrder(ctx, items, 4, func(ctx context.Context, item int) (int, error) { return item, ctx.Err() }, func(int) error { return nil })
	require.ErrorIs(t, err, context.Canceled)
	err = inOrder(t.Context(), items, 4, func(_ context.Context, item int) (int, error) { return item, nil }, func(int) error { return boom })
	require.ErrorIs(t, err, boom)
}
