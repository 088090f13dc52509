package ab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/results"
)

// program is a program to be measured, and where its binary is.
type program struct {
	Side
	Binary string
}

// ThisProgram is the side that names the program itself.
const ThisProgram = "this program"

// openProgram finds the binary that asked names: a file, this program, or a commit of the
// repository of the working folder, which is built into dir.
func openProgram(ctx context.Context, asked, dir string, note func(string)) (program, error) {
	s := program{Side: Side{Asked: asked}, Binary: asked}
	var err error
	info, statErr := os.Stat(asked)
	switch {
	case asked == ThisProgram:
		s.Binary, err = os.Executable()
	case statErr == nil && !info.IsDir():
		s.Binary, err = filepath.Abs(asked)
	default:
		if s.Commit, err = commitOf(ctx, asked); err != nil {
			return s, fault.Input.Wrap(fmt.Errorf("%q is no binary and no commit: %w", asked, err))
		}
		note(fmt.Sprintf("building %s (%.12s)", asked, s.Commit))
		s.Binary, err = buildCommit(ctx, s.Commit, dir)
	}
	if err == nil {
		s.SHA256, err = results.HashFile(s.Binary)
	}
	return s, fault.Input.Wrap(err)
}

// commitOf is the hash of a commit that git knows by this name. Its error says why there
// is none.
func commitOf(ctx context.Context, name string) (string, error) {
	hash, err := runLine(ctx, "git", "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err == nil {
		return hash, nil
	}
	shallow, failed := runLine(ctx, "git", "rev-parse", "--is-shallow-repository")
	remotes, _ := runLine(ctx, "git", "for-each-ref", "--count=1", "--format=%(refname:short)", "refs/remotes/*/"+name)
	switch {
	case failed != nil && strings.Contains(failed.Error(), "safe.directory"):
		return "", fmt.Errorf("git refuses this checkout, which is another user's: %w", failed)
	case failed != nil:
		return "", fmt.Errorf("this is no git repository: %w", failed)
	case remotes != "":
		return "", fmt.Errorf("there is no branch %s here: name %s", name, remotes)
	case shallow == "true":
		return "", errors.New("this is a shallow clone: fetch more history with git fetch --unshallow, or a branch by its name")
	}
	return "", errors.New("git knows no such commit: fetch it first, or look for a typing error")
}

// buildCommit builds a commit in a work tree of its own, which is removed again. The
// build leaves out paths, so that the same commit gives the same binary again, and an
// experiment that was broken off knows its sides.
func buildCommit(ctx context.Context, commit, dir string) (binary string, err error) {
	tree := filepath.Join(dir, "tree-"+commit[:12])
	binary = filepath.Join(dir, "cadence-bench-"+commit[:12])
	if _, err := os.Stat(binary); err == nil {
		return binary, nil // both sides are the same commit
	}
	if _, err := runLine(ctx, "git", "worktree", "add", "--detach", tree, commit); err != nil {
		return "", fmt.Errorf("check out %s: %w", commit, err)
	}
	defer func() {
		// Also after an interrupt, and so not with ctx.
		_, removed := runLine(context.WithoutCancel(ctx), "git", "worktree", "remove", "--force", tree)
		err = errors.Join(err, removed)
	}()
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./cmd/cadence-bench")
	build.Dir = tree
	if _, err := lastLine(build); err != nil {
		return "", fmt.Errorf("build %s: %w", commit, err)
	}
	return binary, nil
}

// runLine runs a command and returns the line that it prints.
func runLine(ctx context.Context, name string, args ...string) (string, error) {
	return lastLine(exec.CommandContext(ctx, name, args...))
}

// lastLine runs a command; its error ends with the last line that the command complained.
func lastLine(cmd *exec.Cmd) (string, error) {
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(complaint.String()), "\n")
		if last := lines[len(lines)-1]; last != "" {
			err = fmt.Errorf("%w: %s", err, last)
		}
	}
	return strings.TrimSpace(string(out)), err
}
