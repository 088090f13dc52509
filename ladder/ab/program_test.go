package ab

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/fault"
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

// What git does not have is said with its reason and what to do.
func TestCommitThatIsNotThere(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	origin := t.TempDir()
	git := func(args ...string) {
		_, err := runLine(t.Context(), "git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.org", "-C", origin}, args...)...)
		require.NoError(t, err, args)
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "one")
	git("commit", "-q", "--allow-empty", "-m", "two")
	git("branch", "other")
	clone := func(args ...string) string {
		dir := t.TempDir()
		_, err := runLine(t.Context(), "git", append([]string{"clone", "-q", "file://" + origin, dir}, args...)...)
		require.NoError(t, err)
		return dir
	}
	whole, shallow := clone(), clone("--depth", "1")
	for _, c := range []struct{ name, dir, owner, commit, want string }{
		{"before the first", shallow, "", "HEAD~1", "shallow clone: fetch more history with git fetch --unshallow"},
		{"a branch left out", shallow, "", "other", "shallow clone: fetch more history"},
		{"a remote branch", whole, "", "other", "there is no branch other here: name origin/other"},
		{"a slip", whole, "", "mian", "git knows no such commit"},
		{"no repository", t.TempDir(), "", "main", "this is no git repository"},
		{"another user's", whole, "1", "main", "git config --global --add safe.directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(c.dir)
			t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", c.owner)
			_, err := openProgram(t.Context(), c.commit, t.TempDir(), func(string) {})
			require.Equal(t, fault.Input, fault.Of(err))
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}
