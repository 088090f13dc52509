package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/report/flame"
	"github.com/cadence-bench/cadence-bench/results"
)

// The files of a profile.
const (
	profileRaw      = "cpu.pb.gz"
	profileStacks   = "stacks.txt"
	profileFlame    = "flame.svg"
	profileMarkdown = "profile.md"
	profileJSON     = "profile.json"
)

// profileOutput is a profile and what it is of.
type profileOutput struct {
	raw     []byte
	profile *analysis.Profile
	load    report.ProfileLoad
	record  profileRecord
}

// profileRecord is profile.json.
type profileRecord struct {
	Manifest   results.Manifest `json:"manifest"`
	Hz         float64          `json:"hz"`
	Samples    int64            `json:"samples"`
	DurationS  float64          `json:"duration_s"`
	Completed  int              `json:"completed"`
	Steps      results.Steps    `json:"steps"`
	Components []analysis.Share `json:"components"`
}

func newProfileOutput(m results.Manifest, run loadedRun, raw []byte) (*profileOutput, error) {
	p, err := analysis.ReadProfile(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if p.Samples() == 0 {
		return nil, fmt.Errorf("the profiler saw no busy thread in %v: offer load for longer with --duration", p.Duration)
	}
	s, key := run.steps, m.Plan[0]
	threads := m.Params["threads_batch"]
	if one := m.Params["threads"]; one != threads {
		threads += fmt.Sprintf(" (%s for a pass of one row)", one)
	}
	return &profileOutput{
		raw: raw, profile: p,
		load: report.ProfileLoad{
			Rung: key.Rung, OfferedRPS: key.OfferedRPS, Model: strings.TrimSuffix(m.Model.File, ".gguf"), CPU: m.Host.CPU, Cores: m.Host.Cores,
			Threads: threads, Layout: m.Params["kv_layout"], Requests: m.Tapes[0].Requests, Completed: run.completed,
			Steps: s.Steps, Rows: s.Rows, ModelTime: s.Model, Host: s.Host, Loop: s.Loop,
		},
		record: profileRecord{
			Manifest: m, Hz: p.Hz(), Samples: p.Samples(), DurationS: p.Duration.Seconds(), Completed: run.completed,
			Steps: results.Steps{
				Count: s.Steps, Rows: s.Rows, OutputRows: s.OutputRows,
				ModelS: s.Model.Seconds(), HostS: s.Host.Seconds(), ScheduleS: s.Loop.Seconds(),
			},
			Components: p.Shares(),
		},
	}, nil
}

// write writes every file of the profile into dir.
func (o *profileOutput) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	record, err := json.MarshalIndent(o.record, "", "  ")
	if err != nil {
		return err
	}
	var stacks bytes.Buffer
	if err := o.profile.WriteFolded(&stacks); err != nil {
		return err
	}
	table := report.ProfileTable(o.profile, o.load).Markdown()
	for _, f := range []struct {
		name string
		data []byte
	}{
		{profileRaw, o.raw},
		{profileStacks, stacks.Bytes()},
		{profileFlame, flame.Graph(o.profile, o.load.Title())},
		{profileMarkdown, []byte(table + "\n![flame graph of the profile](" + profileFlame + ")\n")},
		{profileJSON, append(record, '\n')},
	} {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
