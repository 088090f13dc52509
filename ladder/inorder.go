package ladder

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// ahead is how many items per worker may be done, or under way, before the oldest of
// them has been taken. It bounds the memory that waiting results take.
const ahead = 4

// inOrder does work on every item, workers at a time, and hands what came of each to
// take, in the order of the items and in this goroutine. An error of either ends it:
// work under way is cancelled, and what was already done is still taken. With one
// worker nothing else runs beside the work.
func inOrder[T any](ctx context.Context, items []int, workers int, work func(context.Context, int) (T, error), take func(T) error) error {
	if workers <= 1 {
		for _, item := range items {
			v, err := work(ctx, item)
			if err == nil {
				err = take(v)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	type result struct {
		value T
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make([]chan result, len(items))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	room := make(chan struct{}, ahead*workers)
	go func() {
		var g errgroup.Group
		g.SetLimit(workers)
		for i, item := range items {
			room <- struct{}{}
			g.Go(func() error {
				var r result
				if r.err = ctx.Err(); r.err == nil {
					r.value, r.err = work(ctx, item)
				}
				results[i] <- r
				return nil
			})
		}
	}()
	var first error
	for _, c := range results {
		r := <-c
		<-room
		if r.err == nil {
			r.err = take(r.value)
		}
		if r.err != nil && first == nil {
			first = r.err
			cancel()
		}
	}
	return first
}
