package results

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A process that has the lock is named; when it is killed, the lock is free and what it
// left behind is in nobody's way.
func TestLockOfAKilledProcess(t *testing.T) {
	if dir := os.Getenv("LOCK_AND_WAIT"); dir != "" {
		_, err := LockRun(dir)
		require.NoError(t, err)
		os.Stdout.WriteString("locked\n")
		select {} // until it is killed
	}
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestLockOfAKilledProcess$")
	child.Env = append(os.Environ(), "LOCK_AND_WAIT="+dir)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line := make([]byte, len("locked\n"))
	_, err = out.Read(line)
	require.NoError(t, err)
	require.Equal(t, "locked\n", string(line))

	_, err = LockRun(dir)
	require.ErrorIs(t, err, ErrRunLocked)
	require.EqualError(t, err, dir+" is being written by process "+strconv.Itoa(child.Process.Pid)+": wait for its end, or give another folder with --out")

	require.NoError(t, child.Process.Signal(syscall.SIGKILL))
	_ = child.Wait()
	require.FileExists(t, filepath.Join(dir, lockFile))
	lock, err := LockRun(dir)
	require.NoError(t, err)
	require.NoError(t, lock.Release())
	require.NoFileExists(t, filepath.Join(dir, lockFile))
}

// A lock on a file that its owner removes meanwhile is not taken for one.
func TestLockOfARemovedFile(t *testing.T) {
	dir := t.TempDir()
	a, err := LockRun(dir)
	require.NoError(t, err)
	require.True(t, a.current())
	require.NoError(t, os.Remove(filepath.Join(dir, lockFile)))
	require.False(t, a.current())
	b, err := LockRun(dir)
	require.NoError(t, err, "the name is free")
	require.True(t, b.current())
	require.NoError(t, b.Release())
}

func TestLockOfNoFolder(t *testing.T) {
	_, err := LockRun(filepath.Join(t.TempDir(), "nowhere"))
	require.ErrorContains(t, err, "no such file or directory")
}
