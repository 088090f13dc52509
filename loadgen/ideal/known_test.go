package ideal

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKnownAnswers: the real driver and its records, before servers whose waiting
// times are known. The seeds are fixed, so this passes always or never.
func TestKnownAnswers(t *testing.T) {
	answers, err := Known(t.Context(), Plan{Replications: 16, Requests: 1500, Confidence: 0.99})
	require.NoError(t, err)
	require.Len(t, answers, 12)
	for _, a := range answers {
		require.True(t, a.OK(), "%+v", a)
		require.Less(t, a.Mean.Half, 0.35*a.Mean.Theory+0.01, "%s ρ=%g: an interval that wide shows nothing", a.Queue, a.Load)
		for _, l := range a.Levels {
			require.Less(t, l.Share.Half, 0.12)
		}
	}
}

// The same comparison rejects wrong answers: waits measured from the sending, with
// the start of an idle server, or of another queue.
func TestKnownAnswersCanFail(t *testing.T) {
	q := Queue{1, true, 0.7}
	good, err := replicate(t.Context(), 16, func(seed uint64) *replication { return newReplication(q, 1e9, seed, 4000) })
	require.NoError(t, err)
	require.True(t, compare(q, good, 0.999).OK())
	require.False(t, compare(Queue{1, false, 0.7}, good, 0.999).OK())
	require.False(t, compare(Queue{1, true, 0.6}, good, 0.999).OK())
	for _, waits := range good {
		for i := range waits { // a closed loop with a cap: nobody waits long
			waits[i] = math.Min(waits[i], 3)
		}
	}
	require.False(t, compare(q, good, 0.999).OK())
}
