package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// Calibration is what was measured of one machine with one model: how fast it is,
// what the tool chose from that, and what the terms of a step cost, from which the
// twin simulates it. The rows that it was fitted on are kept beside it.
type Calibration struct {
	Schema       int       `json:"schema"`
	MadeAt       time.Time `json:"made_at"`
	Command      []string  `json:"command"` // the program's arguments
	Build        Build     `json:"build"`
	EngineSource string    `json:"engine_source"` // SourceHash of the engine that was measured
	Library      Library   `json:"library"`
	Model        Model     `json:"model"`
	Host         Host      `json:"host"`

	Chosen Chosen  `json:"chosen"`
	Speeds []Speed `json:"speeds"`
	Tokens Tokens  `json:"tokens"`
	// Costs has a fit for each setting that was measured, the chosen one first.
	Costs []StepCost `json:"costs"`
}

// Setting is how the engine is set up: what a step costs is known apart for each.
type Setting struct {
	KVLayout     string `json:"kv_layout"`     // unified or streams
	FlashAttn    string `json:"flash_attn"`    // on or off
	Threads      int    `json:"threads"`       // in passes of one row
	ThreadsBatch int    `json:"threads_batch"` // in passes of more
}

// Chosen are the defaults that suit the machine.
type Chosen struct {
	Setting
	Rates []float64 `json:"rates"` // requests/s, ascending: they bracket every rung's knee
	SLOS  float64   `json:"slo_s"` // E2E that about 90% of the requests meet on the idle engine
}

// Speed is one measured figure.
type Speed struct {
	Name  string  `json:"name"` // such as "decode, 8 sequences"
	Value float64 `json:"value"`
	Unit  string  `json:"unit"` // such as "tokens/s"
}

// Tokens is what a simulation must know of the vocabulary, having no model.
type Tokens struct {
	Vocab   int `json:"vocab"`   // tokens, reserved ones included
	Context int `json:"context"` // longest sequence that the model was made for
	// Text says which tokens are text: [from, to). Special ones are before and
	// reserved ones behind.
	Text [2]int32 `json:"text"`
	// EOG are the tokens that end an answer, ascending.
	EOG []int32 `json:"eog"`
	// Shape names the synthetic model's shape. Prompts are then tokenised exactly as
	// the model does; "" is a model of the user's, whose tokenizer is stood in for
	// by the synthetic one.
	Shape string `json:"shape"`
}

// StepCost is what a step costs under one setting.
type StepCost struct {
	Setting
	Terms map[string]TermCost `json:"terms"` // by the twin's name of the term
	Noise StepNoise           `json:"noise"`
	Error FitError            `json:"error"`
	// Scheduled is the error on steps that a scheduler made under load, which is what a
	// simulation has; Error is that on all.
	Scheduled FitError `json:"scheduled_error"`
}

// TermCost is the cost of one term of a step.
type TermCost struct {
	Seconds float64 `json:"seconds"` // per unit
	Most    float64 `json:"most"`    // units in the step that had the most, of those fitted on
}

// StepNoise is what the fit leaves unexplained: the logarithm of measured over
// predicted duration, as a first-order autoregression; measured over predicted has mean 1.
type StepNoise struct {
	Sigma float64 `json:"sigma"` // its standard deviation
	Rho   float64 `json:"rho"`   // correlation of a step with the next
}

// FitError is how far the fit is from steps that it did not see.
type FitError struct {
	HeldOutMedianAbsRel float64 `json:"held_out_median_abs_rel"` // median of |predicted/measured − 1|
	HeldOutP90AbsRel    float64 `json:"held_out_p90_abs_rel"`
	R2                  float64 `json:"r2"`   // of the held-out steps
	Bias                float64 `json:"bias"` // predicted over measured time of the held-out steps in all, − 1
	RowsFit             int     `json:"rows_fit"`
	RowsHeldOut         int     `json:"rows_held_out"`
}

// String is the setting in words.
func (s Setting) String() string {
	return fmt.Sprintf("kv_layout %s, flash_attn %s, threads %d, threads_batch %d", s.KVLayout, s.FlashAttn, s.Threads, s.ThreadsBatch)
}

// Cost returns the fit for a setting.
func (c *Calibration) Cost(s Setting) (StepCost, bool) {
	for _, cost := range c.Costs {
		if cost.Setting == s {
			return cost, true
		}
	}
	return StepCost{}, false
}

// Check says what is wrong with c, if anything.
func (c *Calibration) Check() error {
	if len(c.Costs) == 0 {
		return errors.New("costs: there is none")
	}
	seen := map[Setting]bool{}
	for i, cost := range c.Costs {
		if err := cost.check(); err != nil {
			return fmt.Errorf("costs[%d]: %w", i, err)
		}
		if seen[cost.Setting] {
			return fmt.Errorf("costs[%d]: %v is there twice", i, cost.Setting)
		}
		seen[cost.Setting] = true
	}
	if !seen[c.Chosen.Setting] {
		return fmt.Errorf("chosen: %v has no costs", c.Chosen.Setting)
	}
	for i, r := range c.Chosen.Rates {
		if !(r > 0) || math.IsInf(r, 0) || i > 0 && r <= c.Chosen.Rates[i-1] {
			return fmt.Errorf("chosen: rates %v are not above 0 and ascending", c.Chosen.Rates)
		}
	}
	if !amount(c.Chosen.SLOS) {
		return fmt.Errorf("chosen: slo_s %v is not a duration", c.Chosen.SLOS)
	}
	names := map[string]bool{}
	for _, s := range c.Speeds {
		switch {
		case s.Name == "" || s.Unit == "" || names[s.Name]:
			return fmt.Errorf("speeds: %q in %q must have a name of its own and a unit", s.Name, s.Unit)
		case !amount(s.Value):
			return fmt.Errorf("speeds: %s is %v", s.Name, s.Value)
		}
		names[s.Name] = true
	}
	return c.Tokens.check()
}

func (t Tokens) check() error {
	if t.Context < 1 || t.Text[0] < 0 || t.Text[0] >= t.Text[1] || int(t.Text[1]) > t.Vocab {
		return fmt.Errorf("tokens: context %d and text [%d, %d) of a vocabulary of %d make no sense", t.Context, t.Text[0], t.Text[1], t.Vocab)
	}
	return nil
}

func (c StepCost) check() error {
	switch {
	case c.KVLayout != "unified" && c.KVLayout != "streams":
		return fmt.Errorf("kv_layout %q is neither unified nor streams", c.KVLayout)
	case c.FlashAttn != "on" && c.FlashAttn != "off":
		return fmt.Errorf("flash_attn %q is neither on nor off", c.FlashAttn)
	case c.Threads < 1 || c.ThreadsBatch < 1:
		return fmt.Errorf("threads %d and threads_batch %d must be at least 1", c.Threads, c.ThreadsBatch)
	case len(c.Terms) == 0:
		return errors.New("terms: there is none")
	case !amount(c.Noise.Sigma) || !(math.Abs(c.Noise.Rho) < 1):
		return fmt.Errorf("noise: sigma %v must be at least 0 and rho %v between -1 and 1", c.Noise.Sigma, c.Noise.Rho)
	}
	for name, term := range c.Terms {
		if !amount(term.Seconds) || !amount(term.Most) {
			return fmt.Errorf("term %s: seconds %v and most %v must be at least 0", name, term.Seconds, term.Most)
		}
	}
	return nil
}

// amount reports whether v is finite and not negative.
func amount(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }

// WriteCalibration checks c and writes it with the current schema; equal
// calibrations give equal bytes.
func WriteCalibration(path string, c Calibration) error {
	if err := c.Check(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	c.Schema = SchemaVersion
	return WriteJSON(path, c)
}

// ReadCalibration reads and checks a file of WriteCalibration.
func ReadCalibration(path string) (Calibration, error) {
	data, err := regular.ReadFile(path)
	if err != nil {
		return Calibration{}, err
	}
	c, err := ParseCalibration(data)
	if err != nil {
		return Calibration{}, fmt.Errorf("read %s: %w", path, err)
	}
	return c, nil
}

// ParseCalibration reads and checks what WriteCalibration wrote. An unknown key is
// an error: a cost that nobody reads would be left out of every step.
func ParseCalibration(data []byte) (Calibration, error) {
	if err := checkSchema(data); err != nil {
		return Calibration{}, err
	}
	var c Calibration
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Calibration{}, err
	}
	return c, c.Check()
}
