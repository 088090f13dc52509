package nearest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatch(t *testing.T) {
	rungs := []string{"fifo", "static", "continuous", "prefix", "conformal-95"}
	for _, c := range []struct{ word, want string }{
		{"fifo", "fifo"},
		{"fido", "fifo"},
		{"FIFO", "fifo"},
		{"continous", "continuous"},
		{"contiguous", "continuous"},
		{"conformal95", "conformal-95"},
		{"statik", "static"},
		{"cont", "continuous"},
		{"co", ""},
		{"paged", ""},
		{"", ""},
	} {
		got, ok := Match(c.word, rungs)
		require.Equal(t, c.want, got, c.word)
		require.Equal(t, c.want != "", ok, c.word)
	}
	_, ok := Match("fifo", nil)
	require.False(t, ok)
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"grün", "grun", 1},
	} {
		require.Equal(t, c.want, distance(c.a, c.b), c.a+" "+c.b)
		require.Equal(t, c.want, distance(c.b, c.a), c.b+" "+c.a)
	}
}
