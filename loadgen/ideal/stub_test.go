package ideal

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

func TestStubs(t *testing.T) {
	for seed := range uint64(20) {
		checks, err := Stubs(t.Context(), seed)
		require.NoError(t, err)
		require.Len(t, checks, 4)
		for _, c := range checks {
			require.True(t, c.OK, "seed %d: %+v", seed, c)
		}
	}
}

// A closed loop levels off, and is rejected.
func TestOverloadCheckRejectsAClosedLoop(t *testing.T) {
	var recs []results.Record
	for at := time.Duration(0); at < stubLength; at += 50 * time.Millisecond {
		recs = append(recs, results.Record{Intended: at, Ended: results.Some(at + min(at+stubService, 5*time.Second))})
	}
	require.False(t, overloadCheck(recs).OK)
}

// In wall time on a machine that is never late the waits are those of virtual time.
func TestWallEqualsVirtualOnAnIdealMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers, err := KnownWall(t.Context(), WallPlan{Replications: 2, Service: 20 * time.Millisecond, Length: 10 * time.Second, Confidence: 0.95})
		require.NoError(t, err)
		require.Len(t, answers, len(Queues()))
		for _, a := range answers {
			require.Positive(t, a.Requests)
			require.Zero(t, a.DifferenceP99, "%+v", a)
			require.InEpsilon(t, a.Virtual, a.Mean.Measured, 0.05, "%+v", a)
		}
	})
}
