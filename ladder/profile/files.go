package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis/cpuprofile"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/report/flame"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// The files of a profile in its folder.
const (
	rawFile    = "cpu.pb.gz"
	stacksFile = "stacks.txt"
	FlameFile  = "flame.svg"
	TableFile  = "profile.md"
	jsonFile   = "profile.json"
)

// Profile is a profile and what it is of.
type Profile struct {
	Record  Record
	raw     []byte
	profile *cpuprofile.Profile
	load    flame.Load
}

// Record is what the JSON file of a profile has.
type Record struct {
	Manifest   results.Manifest   `json:"manifest"`
	Hz         float64            `json:"hz"`
	Samples    int64              `json:"samples"`
	DurationS  float64            `json:"duration_s"`
	Completed  int                `json:"completed"`
	Steps      results.Steps      `json:"steps"`
	Components []cpuprofile.Share `json:"components"`
}

func newProfile(m results.Manifest, run *cell.Result, raw []byte) (*Profile, error) {
	p, err := cpuprofile.Read(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if p.Samples() == 0 {
		return nil, fmt.Errorf("the profiler saw no busy thread in %v: offer load for longer with --duration", p.Duration)
	}
	s, key, done := run.Stats, m.Plan[0], completed(run.Records)
	threads := m.Params["threads_batch"]
	if one := m.Params["threads"]; one != threads {
		threads += fmt.Sprintf(" (%s for a pass of one row)", one)
	}
	return &Profile{
		raw: raw, profile: p,
		load: flame.Load{
			Rung: key.Rung, OfferedRPS: key.OfferedRPS, Model: strings.TrimSuffix(m.Model.File, ".gguf"), CPU: m.Host.CPU, Cores: m.Host.Cores,
			Threads: threads, Layout: m.Params["kv_layout"], Requests: m.Tapes[0].Requests, Completed: done,
			Steps: s.Steps, Rows: s.Rows, ModelTime: s.Model, Host: s.Host, Loop: s.Loop,
		},
		Record: Record{
			Manifest: m, Hz: p.Hz(), Samples: p.Samples(), DurationS: p.Duration.Seconds(), Completed: done,
			Steps:      run.Cell.Steps,
			Components: p.Shares(),
		},
	}, nil
}

// Table is the profile by component.
func (o *Profile) Table() table.Table { return flame.Table(o.profile, o.load) }

// Write writes every file of the profile into dir.
func (o *Profile) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	record, err := json.MarshalIndent(o.Record, "", "  ")
	if err != nil {
		return err
	}
	var stacks bytes.Buffer
	if err := o.profile.WriteFolded(&stacks); err != nil {
		return err
	}
	table := o.Table().Markdown()
	for _, f := range []struct {
		name string
		data []byte
	}{
		{rawFile, o.raw},
		{stacksFile, stacks.Bytes()},
		{FlameFile, flame.Graph(o.profile, o.load.Title())},
		{TableFile, []byte(table + "\n![flame graph of the profile](" + FlameFile + ")\n")},
		{jsonFile, append(record, '\n')},
	} {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
