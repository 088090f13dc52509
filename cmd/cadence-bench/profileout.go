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

func newProfileOutput(m results.Manifest, run loadedRun, raw []byte) (*profileOutput, error) {
	p, err := analysis.ReadProfile(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if p.Samples() == 0 {
		return nil, fmt.Errorf("the profiler saw no busy thread in %v: offer load for longer with --duration", p.Duration)
	}
	s, key := run.steps, m.Plan[0]
	return &profileOutput{
		raw: raw, profile: p,
		load: report.ProfileLoad{
			Rung: key.Rung, OfferedRPS: key.OfferedRPS, Model: strings.TrimSuffix(m.Model.File, ".gguf"), CPU: m.Host.CPU, Cores: m.Host.Cores,
			Threads: m.Params["threads_batch"], Layout: m.Params["kv_layout"], Requests: m.Tapes[0].Requests, Completed: run.completed,
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
		{profileFlame, report.FlameGraph(o.profile, o.load)},
		{profileMarkdown, []byte(table + "\n![flame graph of the profile](" + profileFlame + ")\n")},
		{profileJSON, append(record, '\n')},
	} {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
