package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuildOfAnotherOwnersCheckout: what make build would run asks for no commit where git
// tells none, and else leaves it to GOFLAGS.
func TestBuildOfAnotherOwnersCheckout(t *testing.T) {
	for _, tool := range []string{"make", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no " + tool)
		}
	}
	makefile, err := filepath.Abs("../../Makefile")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, exec.Command("git", "init", "-q").Run())
	require.NoError(t, exec.Command("git", "-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "--allow-empty", "-m", "one").Run())
	build := func(env ...string) string {
		cmd := exec.Command("make", "-n", "-f", makefile, "bin/cadence-bench", "SOURCES=")
		cmd.Env = append(cmd.Environ(), append(env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")...)
		out, err := cmd.Output()
		require.NoError(t, err)
		return string(out)
	}
	require.NotContains(t, build(), "buildvcs")
	require.Contains(t, build("GIT_TEST_ASSUME_DIFFERENT_OWNER=1"), "go build -buildvcs=false -trimpath")
	require.Contains(t, build("GIT_DIR=/nowhere"), "go build -buildvcs=false -trimpath")
}
