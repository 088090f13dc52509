//go:build unix

package results

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Work takes CPU time, and the time that it takes never decreases.
func TestCPUTime(t *testing.T) {
	before := CPUTime()
	require.True(t, before.OK)
	sum := uint64(0)
	for after := before; after.V == before.V; after = CPUTime() {
		for i := range uint64(1 << 16) {
			sum ^= i * sum
		}
		require.True(t, after.OK)
		require.GreaterOrEqual(t, after.V, before.V)
	}
}
