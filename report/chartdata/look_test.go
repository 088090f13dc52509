package chartdata

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARungLooksTheSameInEveryRun(t *testing.T) {
	all := Looks([]string{"fifo", "static", "continuous", "prefix"})
	require.Equal(t, map[string]int{"fifo": 0, "static": 1, "continuous": 2, "prefix": 3}, all)
	require.Equal(t, map[string]int{"continuous": 2, "prefix": 3}, Looks([]string{"continuous", "prefix"}))
	require.Equal(t, map[string]int{"mine": 1, "fifo": 0, "prefix": 3, "yours": 2}, Looks([]string{"mine", "fifo", "prefix", "yours"}))
}
