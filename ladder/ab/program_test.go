package ab

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// A commit is built in a work tree of its own, which is gone afterwards.
func TestProgramOfACommit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	repo := t.TempDir()
	t.Chdir(repo)
	require.NoError(t, os.MkdirAll("cmd/cadence-bench", 0o755))
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.org/x\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile("cmd/cadence-bench/main.go", []byte("package main\n\nfunc main() { println(1) }\n"), 0o644))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "-m", "one"}} {
		_, err := runLine(t.Context(), "git", args...)
		require.NoError(t, err)
	}
	var notes []string
	note := func(text string) { notes = append(notes, text) }
	dir := t.TempDir()
	side, err := openProgram(t.Context(), "main", dir, note)
	require.NoError(t, err)
	require.Len(t, side.Commit, 40)
	require.FileExists(t, side.Binary)
	require.Len(t, notes, 1)
	trees, err := runLine(t.Context(), "git", "worktree", "list")
	require.NoError(t, err)
	require.NotContains(t, trees, "\n", "only the repository's own")
	again, err := openProgram(t.Context(), "main", t.TempDir(), note)
	require.NoError(t, err)
	require.Equal(t, side.Side, again.Side, "the same binary again, so that an experiment knows its side")

	require.NoError(t, os.WriteFile("cmd/cadence-bench/main.go", []byte("package main\n\nfunc main() { broken }\n"), 0o644))
	_, err = runLine(t.Context(), "git", "-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "-a", "-m", "two")
	require.NoError(t, err)
	_, err = openProgram(t.Context(), "main", dir, note)
	require.ErrorContains(t, err, "undefined: broken")
	trees, err = runLine(t.Context(), "git", "worktree", "list")
	require.NoError(t, err)
	require.NotContains(t, trees, "\n")
}
