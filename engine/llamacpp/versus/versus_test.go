package versus_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/versus"
)

func TestRun(t *testing.T) {
	var order string
	rows, err := versus.Run([]versus.Model{{Name: "m", File: "f"}}, 3, func(native bool, _ string) (llamacpp.Rates, error) {
		n := float64(len(order))
		if native {
			order += "n"
			return llamacpp.Rates{Prefill: 200 + n, Decode: 100 - n, FullPrefill: 50, FullDecode: 100 + n}, nil
		}
		order += "p"
		return llamacpp.Rates{Prefill: 100 + n, Decode: 100 + n, FullPrefill: 100, FullDecode: 100 + n}, nil
	})
	require.NoError(t, err)
	require.Equal(t, "pnnppn", order)
	var out strings.Builder
	require.NoError(t, versus.Text(&out, rows))
	require.Contains(t, out.String(), "103 [100, 104]  202 [201, 205]  native is 1.96 times as fast")
	require.Contains(t, out.String(), "prebuilt is 2.00 times as fast")
	require.Equal(t, "not told apart", rows[3].Verdict())
}
