package results

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/cadence-bench/cadence-bench/internal/killpoint"
	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// WriteAtomic makes the file path hold what write wrote, whole, or leaves path as it
// was. The content and its name are durable when it returns nil. A process killed
// in the middle leaves at most a hidden ".<name>.tmp", which the next write of
// the same file replaces and no reader looks at.
func WriteAtomic(path string, write func(io.Writer) error) (err error) {
	dir, base := filepath.Split(path)
	temp := filepath.Join(dir, "."+base+".tmp")
	defer func() {
		if err != nil {
			os.Remove(temp)
			err = fmt.Errorf("write %s: %w", path, cause(err))
		}
	}()

	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	killpoint.At(killpoint.Rename, path, nil, nil)
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	killpoint.At(killpoint.Renamed, path, nil, nil)
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes a rename in dir durable, where the system has such a call.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// cause is err without the name of the temporary file.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	var linkErr *os.LinkError
	if errors.As(err, &linkErr) {
		return linkErr.Err
	}
	return err
}

// WriteJSON writes v, indented, or leaves the file as it was. Map keys come out sorted.
func WriteJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return WriteBytes(path, append(data, '\n'))
}

// WriteBytes writes a file that appears whole or not at all.
func WriteBytes(path string, data []byte) error {
	return WriteAtomic(path, func(w io.Writer) error {
		killpoint.At(killpoint.Write, path, w, data)
		_, err := w.Write(data)
		return err
	})
}

// HashBytes returns data's SHA-256 in hexadecimal.
func HashBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// HashFile returns the SHA-256 of the file's content in hexadecimal. The file
// may be larger than memory.
func HashFile(path string) (string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("hash %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Writable says, before minutes are spent on measuring, whether files can be made in
// dir, which it makes.
func Writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
