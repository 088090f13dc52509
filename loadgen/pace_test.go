package loadgen

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDue(t *testing.T) {
	requests := []Request{{At: 1}, {At: 3}, {At: 3}, {At: 7}}
	for _, c := range []struct {
		sent    int
		elapsed time.Duration
		n       int
		next    time.Duration
		more    bool
	}{
		{0, 0, 0, 1, true},
		{0, 1, 1, 3, true},   // due at its very time
		{1, 2, 0, 3, true},   // woken early: nothing to do
		{1, 3, 2, 7, true},   // two due together
		{0, 5, 3, 7, true},   // woken late: all that fell due, the rest unmoved
		{0, 99, 4, 0, false}, // woken after the end
		{4, 99, 0, 0, false},
	} {
		n, next, more := due(requests, c.sent, c.elapsed)
		require.Equal(t, []any{c.n, c.next, c.more}, []any{n, next, more}, "%+v", c)
	}
	n, _, more := due(nil, 0, 5)
	require.Zero(t, n)
	require.False(t, more)
}
