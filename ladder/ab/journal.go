package ab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/regular"
	"github.com/cadence-bench/cadence-bench/results"
)

// Manifest says what made an experiment's folder. Beside it, blocks.jsonl has a line for
// each block.
type Manifest struct {
	Schema    int           `json:"schema"`
	StartedAt time.Time     `json:"started_at"`
	Command   []string      `json:"command"`
	Build     results.Build `json:"build"` // of the program that ran the experiment
	Host      results.Host  `json:"host"`
	Experiment
}

const (
	manifestFile = "gate.json"
	blocksFile   = "blocks.jsonl"
)

// Run is an experiment's folder.
type Run struct {
	Dir string
	Manifest
	Blocks []Block // that are whole, by number: 0 … len−1
}

// Open reads an experiment's folder.
func Open(dir string) (*Run, error) {
	r := &Run{Dir: dir}
	path := filepath.Join(dir, manifestFile)
	data, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no paired experiment: it has no %s: %w", dir, manifestFile, fs.ErrNotExist)
	}
	if err == nil {
		err = json.Unmarshal(data, &r.Manifest)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case r.Schema != Schema:
		return nil, fmt.Errorf("read %s: schema %d, and this program reads %d", path, r.Schema, Schema)
	}
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err = regular.ReadFile(filepath.Join(dir, blocksFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := r.read(data); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, blocksFile), err)
	}
	return r, nil
}

// read takes the lines of the journal. A last one that is torn, which a crash leaves, is
// no block.
func (r *Run) read(data []byte) error {
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return nil
		}
		data = rest
		var b Block
		if err := json.Unmarshal(line, &b); err != nil {
			return fmt.Errorf("line %d: %w", len(r.Blocks)+1, err)
		}
		if err := r.fits(b); err != nil {
			return fmt.Errorf("line %d: %w", len(r.Blocks)+1, err)
		}
		r.Blocks = append(r.Blocks, b)
	}
	return nil
}

// fits says why b cannot be the next block, if it cannot.
func (r *Run) fits(b Block) error {
	if b.Block != len(r.Blocks) || b.Block >= r.Manifest.Blocks {
		return fmt.Errorf("block %d comes after %d of %d", b.Block, len(r.Blocks), r.Manifest.Blocks)
	}
	first := b.Segments[r.Arms[0].Name].Facts
	if len(r.Blocks) > 0 {
		first = r.Blocks[0].Segments[r.Arms[0].Name].Facts
	}
	for _, arm := range r.Arms {
		s, ok := b.Segments[arm.Name]
		if !ok {
			return fmt.Errorf("block %d lacks arm %s", b.Block, arm.Name)
		}
		if want := PlantedText(arm.Planted); s.Planted != want {
			return fmt.Errorf("block %d: arm %s was slowed by %q and should have been by %q", b.Block, arm.Name, s.Planted, want)
		}
		if err := first.same(s.Facts); err != nil {
			return fmt.Errorf("block %d, arm %s: not one machine's work: %w", b.Block, arm.Name, err)
		}
	}
	return nil
}

// PlantedText is a planted slowdown as a segment's parameters have it; "" for none.
func PlantedText(share float64) string {
	if share == 0 {
		return ""
	}
	return fmt.Sprint(share)
}

// begin makes the folder of an experiment, or opens the same one's to go on with it.
func begin(dir string, m Manifest) (*Run, error) {
	m.Schema = Schema
	r, err := Open(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := results.WriteJSON(filepath.Join(dir, manifestFile), m); err != nil {
			return nil, err
		}
		return &Run{Dir: dir, Manifest: m}, nil
	case err != nil:
		return nil, err
	}
	if was, is := text(r.Experiment), text(m.Experiment); !bytes.Equal(was, is) {
		return nil, fmt.Errorf("%s: %w", dir, ErrOther)
	}
	return r, nil
}

// ErrOther says that a folder holds another experiment than the one that was asked for.
var ErrOther = errors.New("holds another experiment (other programs, pairs, load or rule): give another folder with --out, or the same flags as before")

func text(e Experiment) []byte {
	data, err := json.Marshal(e)
	if err != nil {
		panic(err) // numbers and strings
	}
	return data
}
