package results

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// machine is a system of files by their paths.
func machine(files map[string]string) System {
	return linuxSystem([]string{"heat0", "heat1"}, func(path string) string { return files[path] })
}

func TestSystemOfLinux(t *testing.T) {
	stat := func(user, steal int) string {
		return fmt.Sprintf("cpu  %d 10 20 5000 7 1 2 %d 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\ncpu1 1 1 1 1 1 1 1 1 0 0\nintr 5\n", user, steal)
	}
	before := machine(map[string]string{
		"/proc/stat": stat(100, 5), "/proc/loadavg": "1.50 1.00 0.50 2/90 77\n", "heat0": "3\n", "heat1": "4\n",
		"/sys/fs/cgroup/cpu.stat": "usage_usec 5\nnr_throttled 1\nthrottled_usec 250000\n",
	})
	require.Equal(t, System{Busy: Some(1330 * time.Millisecond), Stolen: Some(50 * time.Millisecond), Throttled: Some(250 * time.Millisecond),
		Throttles: Some[int64](7), Cores: 2, Load1: Some(1.5)}, before)
	after := machine(map[string]string{
		"/proc/stat": stat(400, 105), "heat0": "3", "heat1": "6", "/sys/fs/cgroup/cpu.stat": "throttled_usec 750000\n",
	})
	after.Programs = []int{12}
	require.Equal(t, Disturbance{OthersS: Some(1.0), StolenS: Some(1.0), ThrottledS: Some(0.5), Throttles: Some[int64](2), Load1: Some(1.5), Cores: 2, WallS: 4, Programs: 1},
		after.Since(before, 2*time.Second, 4*time.Second))
	require.Zero(t, after.Since(before, time.Minute, 4*time.Second).OthersS.V, "clocks of different grain")

	require.Equal(t, System{}, machine(nil), "what is not there is not known")
	require.Equal(t, Disturbance{WallS: 1}, machine(nil).Since(machine(nil), 0, time.Second))
	require.False(t, machine(map[string]string{"/proc/stat": "cpu  0 0 0 0 0 0 0 0 0 0\n"}).Busy.OK, "a sandbox that counts nothing")
	old := machine(map[string]string{"/sys/fs/cgroup/cpu/cpu.stat": "nr_periods 1\nthrottled_time 2000000000\n"})
	require.Equal(t, Some(2*time.Second), old.Throttled, "the first version of cgroups")
	require.NotZero(t, ReadSystem().Cores)
}

// Each process at work sees the others, whoever began first, and none that has ended.
func TestAtWork(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	require.Empty(t, (*AtWork)(nil).Others())
	mine := Announce()
	require.Empty(t, mine.Others())
	require.Equal(t, []int{os.Getpid()}, (*AtWork)(nil).Others())
	require.Nil(t, Announce(), "it is at work already")

	other, err := tryLock(filepath.Join(atWork(), "12"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(atWork(), "13"), []byte("13"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(atWork(), "else"), nil, 0o644))
	require.Equal(t, []int{12}, mine.Others())
	require.NoFileExists(t, filepath.Join(atWork(), "13"), "its process was killed")
	require.NoError(t, other.Release())
	require.Empty(t, mine.Others())
	mine.Release()
	require.Empty(t, (*AtWork)(nil).Others())
	require.Equal(t, "process 4 and 2 more", OthersText([]int{4, 5, 6}))

	// A folder that cannot be used is nobody's fault.
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	t.Setenv("TMPDIR", file)
	none := Announce()
	require.Nil(t, none)
	require.Empty(t, none.Others())
	none.Release()
	require.True(t, strings.HasPrefix(atWork(), file))
}
