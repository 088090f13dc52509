package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/claims"
)

// TestToldApart: a ratio is said with its interval, and no more than that allows.
func TestToldApart(t *testing.T) {
	for want, e := range map[string]claims.Evidence{
		"2.20 times what x does [1.90, 2.60], told apart":                {Value: 2.2, Lo: 1.9, Hi: 2.6, Interval: true},
		"0.500 times what x does [0.400, 0.700], told apart":             {Value: 0.5, Lo: 0.4, Hi: 0.7, Interval: true},
		"1.01 times what x does [0.950, 1.08], equal within 10%":         {Value: 1.01, Lo: 0.95, Hi: 1.08, Interval: true},
		"2.20 times what x does [0, 4.60], not told apart":               {Value: 2.2, Hi: 4.6, Interval: true},
		"0.889 times what x does; too few seeds to tell that from noise": {Value: 0.889},
	} {
		require.Equal(t, want, told(e, "x"))
	}
}
