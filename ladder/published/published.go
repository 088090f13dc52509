// Package published has machines that others measured and wrote about: accelerators, which
// decode a full batch at little more than the cost of one sequence, as no CPU does. The twin
// simulates them by name; each file here says where its figures are from. What was measured
// are whole passes by their number of rows, so a machine's cost has no terms but those, and a
// pass costs what it did in the source's contexts.
package published

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/cadence-bench/cadence-bench/engine/calibrate"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/results"
	"github.com/cadence-bench/cadence-bench/results/calibration"
)

//go:embed *.json
var files embed.FS

// Machine is what somebody published of a machine with a model.
type Machine struct {
	Name    string `json:"-"`
	Source  string `json:"source"` // who measured, where it is written, and what
	Engine  string `json:"engine"`
	Model   string `json:"model"`
	Device  string `json:"device"`
	Context int    `json:"context"` // tokens that a sequence may hold
	// Passes are by rows, ascending: decode steps, a row for each sequence, and then
	// chunks of a prompt.
	Passes []Pass `json:"passes"`
}

// Pass is one measured pass.
type Pass struct {
	Rows int     `json:"rows"`
	MS   float64 `json:"ms"`
}

// Names are those of all machines.
func Names() []string {
	all, _ := fs.Glob(files, "*.json")
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], path.Ext(all[i]))
	}
	return all
}

// Open returns a machine and the SHA-256 of its file.
func Open(name string) (m Machine, sha256 string, err error) {
	data, err := files.ReadFile(name + ".json")
	if err != nil {
		return m, "", fmt.Errorf("no published machine is called %q: choose %s", name, strings.Join(Names(), ", "))
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, "", fmt.Errorf("published machine %s: %w", name, err)
	}
	m.Name = name
	return m, results.HashBytes(data), nil
}

// MS is how long a pass of so many rows takes: in a straight line between the measured ones,
// and beyond the last as its rows do.
func (m *Machine) MS(rows float64) float64 {
	i, _ := slices.BinarySearchFunc(m.Passes, rows, func(p Pass, n float64) int { return int(math.Copysign(1, float64(p.Rows)-n)) })
	switch {
	case i == 0:
		return m.Passes[0].MS
	case i == len(m.Passes):
		last := m.Passes[i-1]
		return last.MS * rows / float64(last.Rows)
	}
	a, b := m.Passes[i-1], m.Passes[i]
	return a.MS + (b.MS-a.MS)*(rows-float64(a.Rows))/float64(b.Rows-a.Rows)
}

// kinds are the passes that the twin tells apart, by their rows.
var kinds = []struct {
	from, to  int
	pass, row twin.Term
}{
	{2, 3, twin.Pass2, twin.Row2}, {4, 31, twin.Pass4, twin.Row4}, {32, 512, twin.Pass32, twin.Row32},
}

// Cost is the twin's cost model of the machine: for each kind of pass the line with the
// least relative error.
func (m *Machine) Cost() (map[string]results.TermCost, error) {
	terms := map[string]results.TermCost{}
	for t := range twin.Term(twin.NumTerms) {
		terms[t.String()] = results.TermCost{Most: math.MaxInt32}
	}
	set := func(t twin.Term, ms float64, most int) {
		terms[t.String()] = results.TermCost{Seconds: ms / 1e3, Most: float64(most)}
	}
	most := m.Passes[len(m.Passes)-1].Rows
	set(twin.Pass1, m.MS(1), math.MaxInt32)
	for _, k := range kinds {
		a, b := mat.NewDense(k.to-k.from+1, 2, nil), make([]float64, k.to-k.from+1)
		for n := k.from; n <= k.to; n++ {
			ms := m.MS(float64(n))
			a.SetRow(n-k.from, []float64{1 / ms, float64(n) / ms})
			b[n-k.from] = 1
		}
		x, err := calibrate.NNLS(a, b)
		if err != nil {
			return nil, fmt.Errorf("published machine %s: %w", m.Name, err)
		}
		set(k.pass, x[0], math.MaxInt32)
		set(k.row, x[1], max(most, 512))
	}
	return terms, nil
}

// Calibration is the machine as the twin takes it: one KV cache for all sequences, so that a
// shared prefix costs no copy, and rows of prompts and answers in one pass.
func (m *Machine) Calibration() (results.Calibration, error) {
	own, _, err := calibration.Default()
	if err != nil {
		return own, err
	}
	terms, err := m.Cost()
	if err != nil {
		return own, err
	}
	setting := results.Setting{KVLayout: "unified", FlashAttn: "on", Threads: 1, ThreadsBatch: 1}
	c := results.Calibration{
		Schema: results.SchemaVersion, Command: []string{"published", m.Source},
		Library: results.Library{Version: m.Engine}, Model: results.Model{File: m.Model, Description: m.Model},
		Host: results.Host{CPU: m.Device, Cores: 1}, Chosen: results.Chosen{Setting: setting}, Tokens: own.Tokens,
		Costs: []results.StepCost{{Setting: setting, Terms: terms}},
	}
	c.Tokens.Context = m.Context
	return c, c.Check()
}
