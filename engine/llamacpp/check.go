package llamacpp

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// Device is one that llama.cpp can compute on.
type Device struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Type        string `json:"type"`
	Free        uint64 `json:"free_bytes"`
	Total       uint64 `json:"total_bytes"`
}

// CheckResult says what the engine on this machine is.
type CheckResult struct {
	Library    Library
	CPUVariant string // the file of the CPU backend that was chosen, "" if unknown
	Devices    []Device
	SystemInfo string // llama.cpp's flags, as it prints them

	// Of the decode; zero when no model was given.
	Model  ModelInfo
	Prompt string
	Tokens []engine.Token
	Text   string
	Took   time.Duration
}

// Check loads the library in dir, describes it and, where modelPath is not
// empty, decodes a few tokens greedily. What was found before an error is in
// the result.
func Check(dir, modelPath string) (CheckResult, error) {
	var r CheckResult
	if err := Load(dir); err != nil {
		return r, err
	}
	n, err := theNative()
	if err != nil {
		return r, err
	}
	r.Library, _ = Loaded()
	r.CPUVariant = mappedCPU("/proc/self/maps")
	r.SystemInfo = strings.TrimSpace(text(n.systemInfo))
	r.Devices = devices()
	if modelPath == "" {
		return r, nil
	}
	return r, r.decode(modelPath)
}

func devices() []Device {
	var out []Device
	for i := range llama.GGMLBackendDeviceCount() {
		d := llama.GGMLBackendDeviceGet(i)
		free, total := llama.GGMLBackendDeviceMemory(d)
		out = append(out, Device{
			Name:        llama.GGMLBackendDeviceName(d),
			Description: strings.TrimSpace(llama.GGMLBackendDeviceDescription(d)),
			Type:        llama.GGMLBackendDevType(d).String(),
			Free:        free,
			Total:       total,
		})
	}
	return out
}

// mappedCPU finds the CPU backend among the files that are mapped into this
// process; ggml does not tell.
func mappedCPU(maps string) string {
	f, err := os.Open(maps)
	if err != nil {
		return ""
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		fields := strings.Fields(sc.Text())
		if name := filepath.Base(fields[len(fields)-1]); strings.HasPrefix(name, "libggml-cpu") {
			return name
		}
	}
	return ""
}

func (r *CheckResult) decode(path string) error {
	m, err := OpenModel(path, DefaultPlacement)
	if err != nil {
		return err
	}
	defer m.Close()
	return r.decodeOn(m)
}

// decodeOn decodes a few tokens on an open model.
func (r *CheckResult) decodeOn(m *Model) error {
	r.Model = m.Info()
	r.Prompt = "The queue at the server grows when requests arrive faster than"
	prompt, err := m.Tokenize(r.Prompt, false)
	if err != nil {
		return err
	}
	if len(prompt) == 0 {
		return fmt.Errorf("model %s: its tokenizer gives nothing for English text", m.path)
	}
	const more = 16
	c, err := NewContext(m, Params{Seqs: 1, SeqCells: len(prompt) + more, Rows: len(prompt), Threads: 1})
	if err != nil {
		return err
	}
	defer c.Close()
	start := time.Now()
	var b engine.Batch
	var res engine.StepResult
	for i, t := range prompt {
		b.Rows = append(b.Rows, engine.Row{Token: t, Pos: int32(i), Output: i == len(prompt)-1})
	}
	for len(r.Tokens) < more {
		if err := c.Step(&b, &res); err != nil {
			return err
		}
		t := res.Tokens[0]
		r.Tokens = append(r.Tokens, t)
		b.Rows = append(b.Rows[:0], engine.Row{Token: t, Pos: c.Next(0), Output: true})
	}
	r.Took, r.Text = time.Since(start), m.Detokenize(r.Tokens)
	return nil
}
