package docgen

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every package says what it is for, in a sentence that begins as Go's do.
func TestPackagesHavePurposes(t *testing.T) {
	t.Chdir("../..")
	all, err := sources()
	require.NoError(t, err)
	require.Greater(t, len(all), 40)
	for name, s := range all {
		require.Regexp(t, `^(Package|Command) `, s.synopsis, name)
	}
	require.True(t, all["engine"].imports["engine/clock"])
	require.Empty(t, all["kv"].imports)
}
