package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cadence-bench/cadence-bench/internal/killpoint"
	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// State is what became of a cell.
type State string

const (
	CellFinished State = "finished" // its file holds the measurement
	CellFailed   State = "failed"   // it could not be measured; Reason says why
	CellVoid     State = "void"     // it was measured, and is not to be used; Reason says why
)

// Entry is one line of the journal: a cell that is over. A cell that failed and was tried
// again has a line for each try, of which the last counts.
type Entry struct {
	Key
	Order  int    `json:"order"`
	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"`
	File   string `json:"file,omitempty"`   // cell file's base name
	SHA256 string `json:"sha256,omitempty"` // of the cell file
	Rows   int    `json:"rows"`
}

// Journal appends values of JSON to a file, one a line. A line is durable when Append
// returns. It is for one goroutine of one process.
type Journal struct {
	f    *os.File
	size int64 // of the whole lines in it
}

const journalFile = "journal.jsonl"

// OpenJournal opens the journal of the run in dir for appending, and makes it if
// there is none. A torn last line, which a crash leaves, is cut off.
func OpenJournal(dir string) (*Journal, error) {
	path := filepath.Join(dir, journalFile)
	data, err := regular.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	_, tail, err := parseJournal(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return openLines(path, int64(len(data)-len(tail)))
}

// OpenLines opens any file of lines for appending, and makes it if there is none. A torn
// last line is cut off.
func OpenLines(path string) (*Journal, error) {
	data, err := regular.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return openLines(path, int64(bytes.LastIndexByte(data, '\n')+1))
}

func openLines(path string, whole int64) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	j := &Journal{f: f, size: whole}
	if err := errors.Join(f.Truncate(j.size), f.Sync(), syncFolder(filepath.Dir(path))); err != nil {
		f.Close()
		return nil, fmt.Errorf("write %s: %w", path, cause(err))
	}
	return j, nil
}

// Append adds a value, an Entry to a run's journal. After an error the file is as it was
// before.
func (j *Journal) Append(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %s: %w", j.f.Name(), err)
	}
	line = append(line, '\n')
	killpoint.At(killpoint.Write, j.f.Name(), j.f, line)
	_, err = j.f.Write(line)
	if err == nil {
		err = j.f.Sync()
	}
	if err != nil {
		j.f.Truncate(j.size)
		return fmt.Errorf("write %s: %w", j.f.Name(), cause(err))
	}
	killpoint.At(killpoint.Written, j.f.Name(), nil, nil)
	j.size += int64(len(line))
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.f.Close() }

// ReadJournal returns the journal's entries in the order in which they were
// appended. torn says that the last line was not whole and was left out: the
// process or the machine died in the middle of it. A missing journal is empty.
func ReadJournal(dir string) (entries []Entry, torn bool, err error) {
	path := filepath.Join(dir, journalFile)
	data, err := regular.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	entries, tail, err := parseJournal(data)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", path, err)
	}
	return entries, len(tail) > 0, nil
}

// parseJournal returns the entries and the torn end of data. Only the last line
// may be torn; damage before it is an error.
func parseJournal(data []byte) (entries []Entry, tail []byte, err error) {
	for n, rest := 1, data; len(rest) > 0; n++ {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if !whole {
			return entries, rest, nil
		}
		if len(after) == 0 && !json.Valid(line) {
			return entries, rest, nil
		}
		e, err := parseEntry(line)
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", n, err)
		}
		entries, rest = append(entries, e), after
	}
	return entries, nil, nil
}

func parseEntry(line []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return Entry{}, err
	}
	switch e.State {
	case CellFinished, CellFailed, CellVoid:
		return e, nil
	}
	return Entry{}, fmt.Errorf("unknown state %q: want finished, failed or void", e.State)
}
