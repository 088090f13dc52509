package ab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/paired"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/results"
)

// PlantedFlag is the flag of `ladder` that slows the engine on purpose.
const PlantedFlag = "planted-slowdown"

// exitInvalid is the exit code of `ladder` for a run with invalid cells.
const exitInvalid = 7

// segments measures segments: each is a process of its own, so that what a process has
// for life (where its memory lies, its huge pages) falls on A and B anew every time and
// not once for all pairs.
type segments struct {
	binaries   map[string]string // by side
	load       []string          // arguments that ask for the work
	cache, lib string            // where the engine's libraries and the model are
	dir        string            // for the runs, each of which is removed once it is read
	now        func() time.Time
}

func (s *segments) measure(ctx context.Context, arm Arm, tape uint64) (Segment, error) {
	out := filepath.Join(s.dir, "segment")
	if err := os.RemoveAll(out); err != nil {
		return Segment{}, err
	}
	args := slices.Concat([]string{"--cache", s.cache}, s.load, []string{"--seeds", strconv.FormatUint(tape, 10), "--out", out})
	if s.lib != "" {
		args = slices.Concat([]string{"--lib", s.lib}, args)
	}
	if arm.Planted != 0 {
		args = append(args, "--"+PlantedFlag, PlantedText(arm.Planted))
	}
	cmd := exec.CommandContext(ctx, s.binaries[arm.Side], args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	begun := s.now()
	_, err := lastLine(cmd)
	took := s.now().Sub(begun)
	if ctx.Err() != nil {
		return Segment{}, ctx.Err()
	}
	// A cell that reports call invalid is judged here by its work, not by its latencies.
	if ended := new(exec.ExitError); err != nil && !(errors.As(err, &ended) && ended.ExitCode() == exitInvalid) {
		return Segment{}, err
	}
	seg, err := ReadSegment(out)
	seg.ProcessS = took.Seconds()
	return seg, err
}

// ReadSegment reads the run folder of a segment, which has one cell.
func ReadSegment(dir string) (Segment, error) {
	run, err := results.OpenRun(dir)
	if err != nil {
		return Segment{}, err
	}
	if len(run.Manifest.Plan) != 1 || len(run.Entries) != 1 || run.Entries[0].State != results.CellFinished {
		return Segment{}, fmt.Errorf("%s: a segment is one cell that was measured, and this has %d of %d", dir, len(run.Entries), len(run.Manifest.Plan))
	}
	c, records, err := results.ReadCell(run.CellPath(0, run.Manifest.Plan[0]))
	if err != nil {
		return Segment{}, err
	}
	if planted := c.Params[cell.PlantedParam]; len(c.Violations) > 0 && planted == "" {
		return Segment{}, fmt.Errorf("the measurement is not sound: %s", c.Violations[0])
	}
	s := segmentOf(c, records)
	s.Facts = segmentFacts(run.Manifest, c)
	return s, nil
}

// segmentOf sums a cell up.
func segmentOf(c results.Cell, records []results.Record) Segment {
	m := analysis.Measure(c, records, analysis.Options{})
	s := Segment{
		Segment:  paired.Segment{Tape: c.TapeHash, Requests: len(records)},
		TTFTP50S: m.TTFT.P50.Value, E2EP50S: m.E2E.P50.Value,
		Rows: c.Steps.Rows, Steps: c.Steps.Count,
	}
	if c.Usage.OK {
		s.CPUS = c.Usage.V.CPUS
	}
	if c.ProbeBefore.OK && c.ProbeAfter.OK {
		s.ProbeDecode = (c.ProbeBefore.V.DecodeTokensPerS + c.ProbeAfter.V.DecodeTokensPerS) / 2
	}
	slices.SortFunc(records, func(a, b results.Record) int { return int(a.Request) - int(b.Request) })
	h := sha256.New()
	first, last := time.Duration(-1), time.Duration(0)
	for i := range records {
		r := &records[i]
		if r.Outcome == results.Completed {
			s.Completed++
		}
		s.Prompt += int(r.PromptTokens)
		s.Output += len(r.Tokens)
		fmt.Fprintln(h, r.Request, r.PromptTokens, len(r.Tokens))
		if first < 0 || r.Intended < first {
			first = r.Intended
		}
		if at := r.LastToken(); at.OK {
			last = max(last, at.V)
		}
	}
	s.Answers = hex.EncodeToString(h.Sum(nil))
	s.Seconds = (last - max(first, 0)).Seconds()
	return s
}

func segmentFacts(m results.Manifest, c results.Cell) Facts {
	f := Facts{
		Commit: m.Build.Commit.V, EngineSource: m.EngineSource, Backend: m.Backend, Model: m.Model.SHA256,
		Threads: c.Params["threads"], Planted: c.Params[cell.PlantedParam],
	}
	if m.Build.Dirty.V {
		f.Commit += "-dirty"
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(m.Library.Files)) {
		fmt.Fprintln(h, name, m.Library.Files[name])
	}
	f.Library = hex.EncodeToString(h.Sum(nil))
	return f
}
