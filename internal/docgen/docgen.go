// Package docgen fills the generated blocks of this repository's documents and checks that
// they are current.
//
// README.md and docs/*.md have blocks of two kinds. Those between "cadence" marks show the
// run in results/runs/ladder; `cadence-bench report` fills the same blocks in any user's
// document. Those between "docgen" marks are of this repository alone: references that the
// code gives, and tables of other runs and benchmarks that are kept in results/runs.
//
// All paths are relative to the root of the repository, where `make docs` and `make check`
// run it.
package docgen

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/report/embed"
	"github.com/cadence-bench/cadence-bench/report/loadcheck"
)

// What is kept of runs and benchmarks.
const (
	ladderRun    = "results/runs/ladder"
	fidelityRun  = "results/runs/one-thread"
	loadChecks   = "results/runs/loadgen"
	benchOutputs = "results/runs/bench/*.txt"
	studyTables  = "results/runs/admission/*/tables/*.md"
	published    = "results/runs/published/*/tables/*.md" // of `make published`
	profileTable = "results/runs/profile/profile.md"
	fitRecord    = "results/runs/admission/fit"
	nativeRates  = "results/runs/native/rates.txt" // of `make native`
	gateProof    = "results/runs/gate/proof.md"
	outsideFile  = "results/runs/outside/calibration.json" // of `calibrate --target` on llama-server
	burstRun     = "results/runs/burst"                    // of `ladder --preset burst --replicates 5` beside llama-server
	servedRun    = "results/runs/served"                   // of `ladder` at 4, 8 and 12/s beside llama-server
	burstPairs   = "results/runs/gate/adjacent"            // of `gate --real` with the commit before adjacent streams
	realProof    = "results/runs/gate/real"                // of `gate --real --aa 20 --plant 10%`, in twenty minutes
)

// Write brings the documents up to date, and returns those that changed.
func Write() ([]string, error) {
	docs, sets, err := all()
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, s := range sets {
		files, err := s.Write(docs)
		if err != nil {
			return changed, err
		}
		changed = append(changed, files...)
	}
	slices.Sort(changed)
	return slices.Compact(changed), nil
}

// Check returns an error with a line for each block that is not current.
func Check() error {
	docs, sets, err := all()
	if err != nil {
		return err
	}
	var errs []error
	for _, s := range sets {
		errs = append(errs, s.Check(docs))
	}
	return errors.Join(errs...)
}

func all() (docs []string, sets []embed.Set, err error) {
	docs, err = filepath.Glob("docs/*.md")
	if err != nil {
		return nil, nil, err
	}
	ofRun, err := runBlocks()
	if err != nil {
		return nil, nil, err
	}
	own, err := blocks()
	if err != nil {
		return nil, nil, err
	}
	const remedy = "make docs"
	return append(docs, "README.md"), []embed.Set{{Mark: "cadence", Remedy: remedy, Blocks: ofRun}, {Mark: "docgen", Remedy: remedy, Blocks: own}}, nil
}

// runBlocks are those of the ladder's run.
func runBlocks() (map[string]string, error) {
	run, err := analysis.Load(ladderRun, analysis.Options{})
	if err != nil {
		return nil, err
	}
	r, err := report.Of(run)
	if err != nil {
		return nil, err
	}
	return r.Blocks(), nil
}

// blocks are those of this repository alone.
func blocks() (map[string]string, error) {
	blocks := references()
	for _, more := range []func() (map[string]string, error){
		packages, kept, benchmarks, workload, fidelity, realGate, fitted,
		calibrated, burst, func() (map[string]string, error) { return loadcheck.Blocks(loadChecks) },
	} {
		m, err := more()
		if err != nil {
			return nil, err
		}
		maps.Copy(blocks, m)
	}
	return blocks, nil
}
