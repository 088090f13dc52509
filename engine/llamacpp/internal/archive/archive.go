// Package archive takes files out of archives into one folder, without the folders that they
// were in. keep gets the whole name in the archive. A file that is there already is an error.
package archive

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
)

// Unzip writes the regular files of a ZIP file of that size.
func Unzip(file io.ReaderAt, size int64, dir string, keep func(string) bool) error {
	z, err := zip.NewReader(file, size)
	if err != nil {
		return err
	}
	for _, f := range z.File {
		base := path.Base(f.Name)
		if !f.Mode().IsRegular() || !keep(f.Name) {
			continue
		}
		from, err := f.Open()
		if err != nil {
			return err
		}
		err = errors.Join(write(filepath.Join(dir, base), from), from.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

// Untar writes the regular files of a gzipped tar file, and its links to files beside them.
func Untar(file io.Reader, dir string, keep func(string) bool) error {
	gz, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	tr := tar.NewReader(gz)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !keep(h.Name) {
			continue
		}
		base := path.Base(h.Name)
		switch h.Typeflag {
		case tar.TypeReg:
			err = write(filepath.Join(dir, base), tr)
		case tar.TypeSymlink: // within the folder
			err = os.Symlink(path.Base(h.Linkname), filepath.Join(dir, base))
		}
		if err != nil {
			return err
		}
	}
}

func write(file string, from io.Reader) error {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, out.Close())
}
