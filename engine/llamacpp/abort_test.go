package llamacpp_test

import (
	"testing"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/stretchr/testify/require"
)

// TestAbort ends a prefill from another goroutine. The step is long enough that
// it cannot end by itself first: 4096 positions with their attention.
func TestAbort(t *testing.T) {
	p := split(1, 4096)
	p.Rows = 4096
	r := newRun(t, p)
	r.add(0, tokens(4096, 1)...)
	done := make(chan error)
	go func() {
		_, err := r.try()
		done <- err
	}()
	r.Abort()
	require.ErrorIs(t, <-done, engine.ErrAborted)
	require.Less(t, r.CacheNext(0), int32(4096))
	require.Equal(t, r.CacheNext(0), r.Next(0))

	r.add(0, 5)
	_, err := r.try()
	require.ErrorIs(t, err, engine.ErrAborted, "abort is for good")
}
