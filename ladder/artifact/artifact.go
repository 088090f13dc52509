// Package artifact keeps what admission learnt off-line, and what it learnt it from: an
// engine that starts must know whether it is the one that was learnt.
package artifact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/predict"
	"github.com/cadence-bench/cadence-bench/internal/regular"
	"github.com/cadence-bench/cadence-bench/results"
)

// File is the name under which fit writes an artifact.
const File = "artifact.json"

// Schema is the version of the file that this program writes and reads.
const Schema = 2

// Artifact is a fit with its provenance.
type Artifact struct {
	Schema int `json:"schema"`
	// SHA256 is of all the rest, as compact JSON: a fact or a digit that changed is an
	// error, not another bound.
	SHA256  string        `json:"sha256"`
	MadeAt  time.Time     `json:"made_at"`
	Command []string      `json:"command"` // the program's arguments
	Build   results.Build `json:"build"`
	Facts
	Traces []Trace `json:"traces"`
	// Importance is each feature's share of the gain of the trees, the most important first.
	Importance []Importance    `json:"importance"`
	Fitted     json.RawMessage `json:"fitted"` // an admission.Fitted
}

// Facts are what a fit is of.
type Facts struct {
	Host         results.Host    `json:"host"`
	Backend      string          `json:"backend"`
	Library      results.Library `json:"library"`
	Model        results.Model   `json:"model"`
	EngineSource string          `json:"engine_source"`
	// Setting are the engine's parameters: threads, KV layout, flash attention, batch.
	Setting  map[string]string `json:"setting"`
	Workload string            `json:"workload"`
	SLOS     float64           `json:"slo_s"`
}

// Trace is a file that it was learnt from.
type Trace struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Rows   int    `json:"rows"`
	Use    string `json:"use"` // fit or calibrate
}

// Importance is that of one feature.
type Importance struct {
	Feature string  `json:"feature"`
	Median  float64 `json:"median"` // in the model of the median
	Upper   float64 `json:"upper"`  // in that of the upper quantile
}

// Put sets what was fitted.
func (a *Artifact) Put(f *admission.Fitted) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	a.Fitted = data
	return nil
}

// sum is the hash of all of a but its own hash.
func (a Artifact) sum() (string, error) {
	a.SHA256 = ""
	compact, err := json.Marshal(a)
	return results.HashBytes(compact), err
}

// Encode gives a as text: its provenance to be read, and what was fitted in one line, which
// is a quarter of its size indented.
func Encode(a Artifact) ([]byte, error) {
	fitted := a.Fitted
	a.Schema = Schema
	var err error
	if a.SHA256, err = a.sum(); err != nil {
		return nil, err
	}
	a.Fitted = json.RawMessage(`"here"`)
	data, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return nil, err
	}
	head, found := bytes.CutSuffix(data, []byte("\"here\"\n}"))
	if !found {
		return nil, errors.New("artifact: what was fitted is not last")
	}
	return slices.Concat(head, fitted, []byte("\n}\n")), nil
}

// Write writes a, which appears whole or not at all.
func Write(path string, a Artifact) error {
	data, err := Encode(a)
	if err != nil {
		return err
	}
	return results.WriteBytes(path, data)
}

// Read reads an artifact of this schema, and its file's hash. An error is one line that
// names the file.
func Read(path string) (Artifact, *admission.Fitted, string, error) {
	data, err := regular.ReadFile(path)
	if err != nil {
		return Artifact{}, nil, "", err
	}
	a, f, err := Decode(data)
	if err != nil {
		return a, nil, "", fmt.Errorf("%s is no admission artifact: %w", path, err)
	}
	return a, f, results.HashBytes(data), nil
}

// Decode reads the text of an artifact.
func Decode(data []byte) (a Artifact, f *admission.Fitted, err error) {
	var version struct {
		Schema *int `json:"schema"`
	}
	switch err := json.Unmarshal(data, &version); {
	case err != nil:
		return a, nil, fmt.Errorf("not JSON, or cut off: %w", err)
	case version.Schema == nil:
		return a, nil, errors.New("it has no schema")
	case *version.Schema != Schema:
		return a, nil, fmt.Errorf("schema %d; this version of cadence-bench reads schema %d: make it again with fit", *version.Schema, Schema)
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, nil, err
	}
	if sum, err := a.sum(); err != nil || sum != a.SHA256 {
		return a, nil, errors.Join(err, fmt.Errorf("it was changed since it was made: its SHA-256 is %.12s, and was %.12s", sum, a.SHA256))
	}
	f = &admission.Fitted{}
	if err := json.Unmarshal(a.Fitted, f); err != nil {
		return a, nil, fmt.Errorf("fitted: %w", err)
	}
	if err := predict.Check(f); err != nil {
		return a, nil, fmt.Errorf("fitted: %w", err)
	}
	return a, f, nil
}
