package results

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// Manifest says what made a run: enough to make it again, and to refuse to mix
// it with another. It is written before the first cell and not changed after, but for
// Mixed.
type Manifest struct {
	Schema       int       `json:"schema"`
	StartedAt    time.Time `json:"started_at"`
	Command      []string  `json:"command"` // the program's arguments
	Build        Build     `json:"build"`
	EngineSource string    `json:"engine_source"` // SourceHash of the engine's packages
	Backend      string    `json:"backend"`
	Library      Library   `json:"library"`
	Model        Model     `json:"model"`
	Host         Host      `json:"host"`
	Tapes        []Tape    `json:"tapes"`
	// Targets are the servers that were measured beside the embedded engine.
	Targets []Target `json:"targets,omitempty"`
	// Params are every parameter of the run, by documented name.
	Params map[string]string `json:"params"`
	// Sources are where the run found what it is made of.
	Sources Sources `json:"sources,omitzero"`
	// ExpectedProbe is the probe as a calibration of this very machine, model and setting
	// has it; null where there is none.
	ExpectedProbe Opt[Probe] `json:"expected_probe,omitzero"`
	// Choices are the parameters that the tool chose itself.
	Choices []Choice `json:"choices"`
	// Plan is every cell of the run, in order: a cell's Order is its index here.
	Plan []Key `json:"plan"`
	// Mixed are the times when the run was gone on with although something of the above
	// was no longer so. It is empty in a run that is of one piece.
	Mixed []Mixture `json:"mixed,omitempty"`
}

// Sources are places, each as a path from the run's folder, so that a run and what it is
// made of may move together. They say where to look; what is found there is known by its
// hash. "" is a default place.
type Sources struct {
	Model       string `json:"model,omitempty"`
	Library     string `json:"library,omitempty"` // the folder
	Calibration string `json:"calibration,omitempty"`
}

// Mixture says how a part of a run differs from its manifest. The cells that were measured
// from then on say so too (Cell.Mixed).
type Mixture struct {
	At      time.Time `json:"at"`
	Command []string  `json:"command"` // the program's arguments
	Changes []Change  `json:"changes"`
}

// Library is the inference library; in a simulation, the one that was calibrated.
type Library struct {
	Version string `json:"version"` // such as "llama.cpp v0.5.0"
	Variant string `json:"variant"` // which CPU or GPU variant it chose at run time
	// Files is each loaded file's SHA-256 by base name.
	Files map[string]string `json:"files"`
}

// Model is the model file; in a simulation, the one that was calibrated. Its zero value
// stands for none.
type Model struct {
	File        string `json:"file"` // base name
	Bytes       int64  `json:"bytes"`
	SHA256      string `json:"sha256"`
	Description string `json:"description"` // such as "llama 27M Q8_0"
}

// Target is a server, by what it was asked and by what it says of itself. No
// credentials are kept. What it does not say is zero.
type Target struct {
	Name    string   `json:"name"` // the rung's
	URL     string   `json:"url"`
	API     string   `json:"api"`              // chat, completions or llama
	Model   string   `json:"model"`            // that requests name
	Server  string   `json:"server,omitempty"` // its own version
	Models  []string `json:"models,omitempty"` // of /v1/models
	File    string   `json:"file,omitempty"`   // base name of the model's file
	Slots   int      `json:"slots,omitempty"`  // llama-server's sequences
	Context int      `json:"context,omitempty"`
}

// Tape is a frozen list of requests that a run replays.
type Tape struct {
	Workload   string  `json:"workload"`
	OfferedRPS float64 `json:"offered_rps"`
	Seed       uint64  `json:"seed"`
	Requests   int     `json:"requests"`
	SHA256     string  `json:"sha256"`
}

// Choice is a parameter that was left to the tool: what it chose and from what.
type Choice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Why   string `json:"why"`
}

// WriteManifest writes m with the current schema; equal manifests give equal bytes.
func WriteManifest(path string, m Manifest) error {
	m.Schema = SchemaVersion
	return WriteJSON(path, m)
}

// ReadManifest reads a file of WriteManifest.
func ReadManifest(path string) (Manifest, error) {
	data, err := regular.ReadFile(path)
	if err != nil {
		return Manifest{}, err
	}
	if err := checkSchema(data); err != nil {
		return Manifest{}, fmt.Errorf("read %s: %w", path, err)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return Manifest{}, fmt.Errorf("read %s: %w", path, err)
	}
	return m, nil
}
