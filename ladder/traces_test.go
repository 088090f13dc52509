package ladder

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTracesRungIsTheLadders: what is recorded is the rung that admission is put on, as it
// reads when its file is read again.
func TestTracesRungIsTheLadders(t *testing.T) {
	l, err := TracesLadder()
	require.NoError(t, err)
	built := byName(Rungs(), "prefix")
	require.Equal(t, built.Policy, l.Rungs[0].Policy)
	require.Equal(t, built.Cache, l.Rungs[0].Cache)
}
