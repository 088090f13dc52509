package regular_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// TestKinds: what is no file is refused at once, by its kind; a link is what it leads to.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("file"), []byte("x"), 0o644))
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o644))
	l, err := net.Listen("unix", at("socket"))
	require.NoError(t, err)
	defer l.Close()
	for link, to := range map[string]string{"to file": "file", "to pipe": "pipe", "to nothing": "nothing"} {
		require.NoError(t, os.Symlink(at(to), at(link)))
	}
	for path, want := range map[string]string{
		at("file"): "", at("to file"): "", "/proc/self/status": "",
		at("pipe"): "it is a pipe, and not a file", at("to pipe"): "it is a pipe, and not a file", at("socket"): "it is a socket, and not a file",
		dir: "it is a folder, and not a file", "/dev/zero": "it is a device, and not a file", "/dev/null": "it is a device, and not a file",
		at("nothing"): "no such file or directory", at("to nothing"): "no such file or directory", at("file") + "/x": "not a directory",
	} {
		f, opened := regular.Open(path)
		_, read := regular.ReadFile(path)
		if want == "" {
			require.NoError(t, opened, path)
			require.NoError(t, read, path)
			require.NoError(t, f.Close())
			continue
		}
		require.EqualError(t, opened, "open "+path+": "+want)
		require.EqualError(t, read, "open "+path+": "+want)
		require.ErrorAs(t, opened, new(*fs.PathError))
	}
}
