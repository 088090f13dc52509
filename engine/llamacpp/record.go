package llamacpp

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

	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// FileHash is the SHA-256 of one file, in hexadecimal.
type FileHash struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// recordName is the file that marks a folder as made by Install.
const recordName = "engine.json"

// record is what Install leaves beside the libraries. For a platform in the
// embedded pins the hashes there count and these do not; for one that came by
// the downloader these are all there is.
type record struct {
	Release  string     `json:"llama_cpp"`
	Platform Platform   `json:"platform"`
	Source   string     `json:"source"`
	Files    []FileHash `json:"files"`
	Flags    []string   `json:"cmake,omitempty"` // of Build
}

// readRecord gives the record of dir, nil where there is none.
func readRecord(dir string) (*record, error) {
	path := filepath.Join(dir, recordName)
	data, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("engine library: %s is damaged (%v); %s", path, err, mend)
	}
	return &r, nil
}

func (r *record) write(dir string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, recordName), append(data, '\n'), 0o644)
}

// verify hashes the libraries in dir and compares them with the pins, else with
// the record.
func (r *record) verify(dir string) ([]FileHash, error) {
	mend := mend
	if r.Source == sourceBuild {
		mend = "run `cadence-bench engine build --force`"
	}
	if r.Release != Release {
		return nil, fmt.Errorf("engine library %s is llama.cpp %s, this program needs %s; %s", dir, r.Release, Release, mend)
	}
	want := pins(r.Platform)
	if len(want) == 0 || r.Source != sourceNPM {
		want = r.Files
	}
	got, err := hashLibraries(dir)
	if err != nil {
		return nil, fmt.Errorf("engine library %s: %w; %s", dir, err, mend)
	}
	if err := compare(dir, want, got); err != nil {
		return nil, fmt.Errorf("engine library %w; %s", err, mend)
	}
	if r.Source == sourceBuild { // its libraries have plain names
		return got, nil
	}
	for _, f := range want {
		alias := aliasFor(f.Name)
		if to, _ := os.Readlink(filepath.Join(dir, alias)); alias != "" && to != f.Name {
			return nil, fmt.Errorf("engine library %s: %s does not lead to %s; %s", dir, alias, f.Name, mend)
		}
	}
	return got, nil
}

// compare reports the first difference between the files that should be in a
// place and those that are.
func compare(where string, want, got []FileHash) error {
	have := map[string]string{}
	for _, f := range got {
		have[f.Name] = f.SHA256
	}
	for _, f := range want {
		switch have[f.Name] {
		case f.SHA256:
			delete(have, f.Name)
		case "":
			return fmt.Errorf("%s: %s is missing", where, f.Name)
		default:
			return fmt.Errorf("%s: %s is not the file that was published (its SHA-256 differs)", where, f.Name)
		}
	}
	for _, f := range got {
		if _, extra := have[f.Name]; extra {
			return fmt.Errorf("%s: %s does not belong there and llama.cpp might load it", where, f.Name)
		}
	}
	return nil
}

// hashLibraries gives the library files of dir, sorted by name. Symbolic links
// are left out: what they point to is in the list or is not checked.
func hashLibraries(dir string) ([]FileHash, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []FileHash
	for _, e := range entries {
		if !e.Type().IsRegular() || !isLibrary(e.Name()) {
			continue
		}
		sum, err := hashFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, FileHash{e.Name(), sum})
	}
	return files, nil
}

func hashFile(path string) (string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
