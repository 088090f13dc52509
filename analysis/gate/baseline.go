package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Schema is the version of the baseline's file. A file of another version is not read.
const Schema = 1

// Baseline is what a run is compared with: an earlier run, and how it came to be the one.
type Baseline struct {
	Schema  int      `json:"schema"`
	History []Reason `json:"history"` // oldest first, at least one
	Measured
}

// Reason is why a baseline was written.
type Reason struct {
	Date   string `json:"date"` // as in 2006-01-02, UTC
	Reason string `json:"reason"`
	// EngineSource is the hash of the engine's source that the figures were measured with.
	EngineSource string `json:"engine_source"`
}

// Measured is what a run of the gate's ladder gave.
type Measured struct {
	Provenance Provenance `json:"provenance"`
	Figures    []Figure   `json:"figures"`
	// Decisions are the hash chains of the cells' decisions, which are no figures: none is
	// judged, and they say where to look.
	Decisions []Decisions `json:"decisions"`
	// Void are the cells that did not measure what they claim; a baseline has none.
	Void []Void `json:"void,omitempty"`
}

// Provenance says what figures were measured on. All but Command, LadderFile and
// EngineSource must be the same on both sides.
type Provenance struct {
	Command string `json:"command"` // that writes such a baseline
	// Calibration is the SHA-256 of what the twin simulates.
	Calibration string `json:"calibration"`
	Ladder      string `json:"ladder"` // its name
	// LadderFile is the SHA-256 of its file. What the file sets is what a gate of one's own
	// ladder judges, so it is told and not compared; that the rungs are the same is Rungs.
	LadderFile string `json:"ladder_sha256"`
	// Rungs are the names of those that were measured, in the ladder's order.
	Rungs []string `json:"rungs"`
	Load  Load     `json:"load"`
	Tapes []Tape   `json:"tapes"`
	// EngineSource is the hash of the engine's source. It changes with every change of
	// the engine, which is what the gate judges, so it is told and not compared.
	EngineSource string `json:"engine_source"`
}

// Load is what every rung is offered. Times are in seconds.
type Load struct {
	Workload  string    `json:"workload"`
	Rates     []float64 `json:"rates_rps"` // ascending
	Seeds     []uint64  `json:"seeds"`
	DurationS float64   `json:"duration_s"`
	WarmupS   float64   `json:"warmup_s"`
	TimeoutS  float64   `json:"timeout_s"`
	SLOS      float64   `json:"slo_s"` // the objective of E2E latency
}

// Tape is a tape by its hash.
type Tape struct {
	RateRPS  float64 `json:"rate_rps"`
	Seed     uint64  `json:"seed"`
	Requests int     `json:"requests"`
	SHA256   string  `json:"sha256"`
}

// Figure is one number of a rung at a rate, over all seeds.
type Figure struct {
	Rung    string  `json:"rung"`
	RateRPS float64 `json:"rate_rps"` // 0: of the rung, whatever the rate
	Metric  string  `json:"metric"`   // a Budget's
	Value   float64 `json:"value"`    // in the budget's unit
	// N is how many requests stand behind it; 0 for a count, which needs none.
	N int `json:"n,omitempty"`
	// Bound says that the true value is above Value: requests were given up.
	Bound bool `json:"lower_bound,omitempty"`
	// Promise is the value that the rung's configuration promises not to pass, for a
	// metric that can be promised; null where nothing is.
	Promise *float64 `json:"promise,omitempty"`
}

// Void is a cell that cannot be used.
type Void struct {
	Cell string `json:"cell"` // its name
	Why  string `json:"why"`
}

// Parse reads a baseline's file, and says what is wrong with it.
func Parse(data []byte) (Baseline, error) {
	var head struct{ Schema int }
	if err := json.Unmarshal(data, &head); err != nil {
		return Baseline{}, fmt.Errorf("it is no baseline: %w", err)
	}
	if head.Schema != Schema {
		return Baseline{}, fmt.Errorf("it is of schema %d and this version reads %d: move it away and write another by --update", head.Schema, Schema)
	}
	var b Baseline
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return Baseline{}, fmt.Errorf("it is no baseline: %w", err)
	}
	return b, b.check()
}

func (b *Baseline) check() error {
	switch {
	case len(b.History) == 0:
		return errors.New("its history is empty: nobody said why it is the baseline")
	case len(b.Figures) == 0:
		return errors.New("it has no figures")
	}
	return nil
}

// Encode gives the baseline's file, with a line for each figure and for each cell's
// decisions, so that a change of one is a change of one line.
func (b *Baseline) Encode() ([]byte, error) {
	whole := *b
	whole.Figures, whole.Decisions = nil, nil
	data, err := json.MarshalIndent(whole, "", " ")
	if err != nil {
		return nil, err
	}
	data, err = lined(data, "figures", b.Figures, Figure.name)
	if err == nil && len(b.Decisions) > 0 {
		data, err = lined(data, "decisions", b.Decisions, func(d Decisions) string { return d.Cell })
	}
	return append(data, '\n'), err
}

// lined puts a list in the place of a null, with a line for each of its items.
func lined[T any](data []byte, key string, items []T, name func(T) string) ([]byte, error) {
	before, after, ok := bytes.Cut(data, fmt.Appendf(nil, "%q: null", key))
	if !ok {
		return nil, fmt.Errorf("a baseline without %s", key)
	}
	out := fmt.Appendf(bytes.Clone(before), "%q: [", key)
	for i, item := range items {
		line, err := json.Marshal(item)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name(item), err)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, "\n  "...), line...)
	}
	return append(append(out, "\n ]"...), after...), nil
}

// Only returns what was measured of some rungs; none named is all. Names that it does
// not have stay in the provenance, so that they are missed. Of decisions it has none.
func (m Measured) Only(rungs ...string) Measured {
	if len(rungs) == 0 {
		return m
	}
	m.Provenance.Rungs = slices.Clone(rungs)
	m.Figures = slices.DeleteFunc(slices.Clone(m.Figures), func(f Figure) bool { return !slices.Contains(rungs, f.Rung) })
	m.Decisions = nil
	return m
}

// place is where a figure stands: there is at most one.
type place struct {
	rung   string
	rate   float64
	metric string
}

func (f Figure) place() place { return place{f.Rung, f.RateRPS, f.Metric} }

func (f Figure) name() string { return fmt.Sprintf("%s of %s at %g/s", f.Metric, f.Rung, f.RateRPS) }
