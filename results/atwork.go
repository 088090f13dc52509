package results

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gofrs/flock"
)

// AtWork says to every other cadence-bench on this machine that this one is at work, which
// makes both slower than they would be alone. The nil value says nothing to anybody, and
// finds the others all the same.
type AtWork struct{ lock *Lock }

// atWork is the folder in which each process at work has a file that it keeps locked. The
// system takes the lock back when the process ends, however it ends.
func atWork() string { return filepath.Join(os.TempDir(), "cadence-bench-at-work") }

// Announce says that this process is at work until Release. What the system does not allow
// is left: nobody's measurement fails for it.
func Announce() *AtWork {
	if err := os.MkdirAll(atWork(), 0o777); err != nil {
		return nil
	}
	_ = os.Chmod(atWork(), 0o777|os.ModeSticky) // other users' processes are at work too
	lock, err := tryLock(filepath.Join(atWork(), strconv.Itoa(os.Getpid())))
	if err != nil || lock == nil {
		return nil
	}
	return &AtWork{lock}
}

// Others are the ids of the other processes at work, as far as they can be told.
func (a *AtWork) Others() []int {
	files, _ := os.ReadDir(atWork())
	var others []int
	for _, f := range files {
		path := filepath.Join(atWork(), f.Name())
		pid, err := strconv.Atoi(f.Name())
		if err != nil || a != nil && path == a.lock.file.Path() || !f.Type().IsRegular() {
			continue
		}
		l := flock.New(path, flock.SetFlag(os.O_RDONLY))
		switch free, err := l.TryRLock(); {
		case err == nil && free: // left behind by a process that was killed
			_ = os.Remove(path)
			_ = l.Close()
		case err == nil:
			others = append(others, pid)
		}
	}
	return others
}

// Release says that this process is at work no more.
func (a *AtWork) Release() {
	if a != nil {
		_ = a.lock.Release()
	}
}

// OthersText names processes at work in a message, as in "process 12 and 2 more".
func OthersText(pids []int) string {
	text := fmt.Sprintf("process %d", pids[0])
	if n := len(pids) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
