package policies

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
)

// TestKindsAreDocumented: every policy says where it is from, and every parameter has a
// meaning and a default in its range.
func TestKindsAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds() {
		require.False(t, seen[k.Name], k.Name)
		seen[k.Name] = true
		require.NotEmpty(t, k.Source, k.Name)
		require.NotEmpty(t, k.Doc, k.Name)
		for _, p := range k.Params {
			require.NotEmpty(t, p.Doc, "%s of %s", p.Name, k.Name)
			require.True(t, p.Min <= p.Default && p.Default <= p.Max, "%s of %s", p.Name, k.Name)
			if p.Search != (admission.Range{}) {
				require.True(t, p.Min <= p.Search.Low && p.Search.Low < p.Search.High && p.Search.High <= p.Max, "%s of %s", p.Name, k.Name)
			}
		}
	}
	require.Len(t, seen, 16)
}
