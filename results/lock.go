package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// Lock is the right to write into a run's folder. One process has it at a time, and the
// system takes it back when that process ends, however it ends.
type Lock struct{ file *flock.Flock }

// lockFile holds the process id of who has the lock. One that is not locked was left
// behind by a process that was killed, and means nothing.
const lockFile = "run.lock"

// ErrRunLocked is wrapped by LockRun's error about a run that another process writes.
var ErrRunLocked = errors.New("is being written")

// LockRun takes the lock of the folder of a run, which must be there, or says who has it.
func LockRun(dir string) (*Lock, error) {
	l, err := tryLock(filepath.Join(dir, lockFile))
	if l == nil && err == nil {
		err = lockedBy(dir)
	}
	return l, err
}

// tryLock takes the lock of a file, which it makes; nil is one that another process has.
func tryLock(path string) (*Lock, error) {
	for {
		l := &Lock{flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))}
		taken, err := l.file.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, cause(err))
		}
		if !taken {
			return nil, l.file.Close()
		}
		if !l.current() { // whoever had it removed the file after we opened it
			l.file.Close()
			continue
		}
		_ = os.WriteFile(path, fmt.Appendln(nil, os.Getpid()), 0o644) // a message lacks the number without it
		return l, nil
	}
}

// current says whether the locked file is the one that has the name.
func (l *Lock) current() bool {
	held, err := l.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(l.file.Path())
	return err == nil && os.SameFile(held, named)
}

func lockedBy(dir string) error {
	who := "another process"
	if data, err := regular.ReadFile(filepath.Join(dir, lockFile)); err == nil {
		if pid := strings.TrimSpace(string(data)); pid != "" {
			who = "process " + pid
		}
	}
	return fault.Input.Errorf("%s %w by %s: wait for its end, or give another folder with --out", dir, ErrRunLocked, who)
}

// Release removes the file, where the system lets an open one go, and gives the lock back.
func (l *Lock) Release() error {
	_ = os.Remove(l.file.Path()) // a file that stays is not locked
	return l.file.Close()
}
