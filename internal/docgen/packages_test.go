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

// An arrow that follows from others is left out.
func TestGraph(t *testing.T) {
	g := graph{}
	for _, e := range []string{"ac", "ab", "bc", "cd", "ad", "aa"} {
		g.add(e[:1], e[1:])
	}
	g.add("internal", "a")
	require.Equal(t, "```mermaid\ngraph TD\n    a --> b\n    b --> c\n    c --> d\n```\n", g.mermaid())
}
