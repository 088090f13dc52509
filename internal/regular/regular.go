// Package regular reads regular files. In place of one, a pipe would block whoever opens
// it until somebody writes, and a device may never end: both are refused by their kind.
package regular

import (
	"errors"
	"io/fs"
	"os"
)

// Open opens a regular file, or what a link leads to.
func Open(path string) (*os.File, error) {
	if err := check(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// ReadFile reads all of a regular file.
func ReadFile(path string) ([]byte, error) {
	if err := check(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func check(path string) error {
	info, err := os.Stat(path)
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return &fs.PathError{Op: "open", Path: path, Err: failed.Err} // stat is how, and not what was asked for
	}
	if kind := kindOf(info.Mode()); kind != "" {
		return &fs.PathError{Op: "open", Path: path, Err: errors.New("it is " + kind + ", and not a file")}
	}
	return nil
}

// kindOf names what is no regular file; "" is one.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}
