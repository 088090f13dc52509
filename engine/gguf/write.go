package gguf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// chunkBytes is about how much of a tensor a worker holds at a time.
const chunkBytes = 1 << 20

// Write makes the model that spec describes and puts it at path, replacing what
// was there. The file appears whole or not at all. The bytes depend on spec
// alone.
func Write(path string, spec Spec) error {
	if err := spec.Shape.validate(); err != nil {
		return err
	}
	typ := spec.weightType()
	if typ != F16 && typ != Q8_0 && typ != Q4_0 {
		return fmt.Errorf("model shape %q: weight type %v cannot be written", spec.Shape.Name, typ)
	}
	tok := TrainBPE(spec.Corpus, spec.Shape.Vocab)
	return replaceFile(path, func(f *os.File) error {
		tensors := spec.Shape.tensors(typ)
		head, offsets := spec.header(tok).encode(tensors)
		if _, err := f.WriteAt(head, 0); err != nil {
			return err
		}
		w := newWeights(spec.Shape, spec.Seed, tok)
		return w.writeAll(f, int64(len(head)), tensors, offsets)
	})
}

// replaceFile writes a new file with fill and moves it to path once it is on the
// disk. On an error path is as it was.
func replaceFile(path string, fill func(*os.File) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("write model %s: %w", path, pathless(err))
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("write model %s: %w", path, pathless(err))
		}
	}()
	if err := fill(f); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// pathless drops the path from an error that will be told with it anyway.
func pathless(err error) error {
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case errors.As(err, &onPath):
		return onPath.Err
	case errors.As(err, &onLink):
		return onLink.Err
	}
	return err
}

// chunk is a range of rows of one tensor.
type chunk struct {
	tensor   tensor
	from, to int
	offset   int64 // of row from, in the file
}

// writeAll writes every tensor's rows at their places, on all processors.
func (w *weights) writeAll(f *os.File, base int64, tensors []tensor, offsets []int64) error {
	chunks := make(chan chunk)
	failed := make(chan struct{})
	var firstErr error
	var once sync.Once
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for c := range chunks {
				if err := w.writeChunk(f, c); err != nil {
					once.Do(func() { firstErr = err; close(failed) })
				}
			}
		})
	}
	send(chunks, failed, base, tensors, offsets)
	workers.Wait()
	if firstErr != nil {
		return firstErr
	}
	last := len(tensors) - 1
	return f.Truncate(align(base + offsets[last] + tensors[last].bytes()))
}

// send cuts the tensors into chunks, until all are sent or a worker fails.
func send(chunks chan<- chunk, failed <-chan struct{}, base int64, tensors []tensor, offsets []int64) {
	defer close(chunks)
	for i, t := range tensors {
		size := int64(t.typ.rowBytes(t.cols))
		step := int(max(1, chunkBytes/size))
		for from := 0; from < t.rows; from += step {
			select {
			case chunks <- chunk{t, from, min(from+step, t.rows), base + offsets[i] + int64(from)*size}:
			case <-failed:
				return
			}
		}
	}
}

func (w *weights) writeChunk(f *os.File, c chunk) error {
	t := c.tensor
	size := t.typ.rowBytes(t.cols)
	buf, row := make([]byte, size*(c.to-c.from)), make([]float32, t.cols)
	for r := c.from; r < c.to; r++ {
		w.fill(t, r, row)
		t.typ.quantize(buf[size*(r-c.from):], row)
	}
	_, err := f.WriteAt(buf, c.offset)
	return err
}
