package docgen

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/paired"
	"github.com/cadence-bench/cadence-bench/ladder/ab"
	"github.com/cadence-bench/cadence-bench/ladder/costs"
	"github.com/cadence-bench/cadence-bench/ladder/experiment"
	"github.com/cadence-bench/cadence-bench/ladder/fitting"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/report/agreement"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results/calibration"
)

// kept are tables that are kept as Markdown: those of the admission studies and of published
// machines, by the name of the study or machine and their own; the proof of the gate; the profile without its picture.
func kept() (map[string]string, error) {
	blocks := map[string]string{}
	files, err := filepath.Glob(studyTables)
	if err != nil {
		return nil, err
	}
	simulated, err := filepath.Glob(published)
	if err != nil {
		return nil, err
	}
	for _, file := range append(append(files, simulated...), gateProof, profileTable, nativeRates) {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		text := string(data)
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		switch file {
		case gateProof:
			name = "gate-proof"
		case nativeRates:
			name, text = "native-rates", "```\n"+text+"```\n"
		case profileTable:
			text, _, _ = strings.Cut(text, "\n![")
		default:
			name = filepath.Base(filepath.Dir(filepath.Dir(file))) + "-" + name
		}
		blocks[name] = text
	}
	return blocks, nil
}

// fidelity compares the kept runs with their kept simulations: one whole, and of the ladder's the
// errors.
func fidelity() (map[string]string, error) {
	blocks, err := agreements(fidelityRun)
	if err != nil {
		return nil, err
	}
	ladder, err := agreements(ladderRun)
	if err != nil {
		return nil, err
	}
	blocks["fidelity-ladder"] = ladder["fidelity"]
	return blocks, nil
}

func agreements(run string) (map[string]string, error) {
	measured, err := analysis.Load(run, analysis.Options{})
	if err != nil {
		return nil, err
	}
	simulated, err := analysis.Load(run+"-twin", analysis.Options{})
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(run + "-twin/replays.json")
	if err != nil {
		return nil, err
	}
	var replays agreement.Replays
	if err := json.Unmarshal(data, &replays); err != nil {
		return nil, err
	}
	return markdown(agreement.Tables(measured, simulated, replays)), nil
}

// calibrated are the tables of the calibration that this build has, and what was measured of
// a server from outside.
func calibrated() (map[string]string, error) {
	c, _, err := calibration.Default()
	if err != nil {
		return nil, err
	}
	outside, _, err := calibration.Open(outsideFile)
	if err != nil {
		return nil, err
	}
	blocks := markdown(costs.Tables(&c))
	blocks["outside"] = costs.Tables(&outside)[0].Markdown()
	return blocks, nil
}

// markdown are tables by their names.
func markdown(tables []table.Table) map[string]string {
	blocks := map[string]string{}
	for _, t := range tables {
		blocks[t.Name] = t.Markdown()
	}
	return blocks
}

// realGate are the tables about the gate on the real engine: its rule, and how often it
// was right.
func realGate() (map[string]string, error) {
	run, err := ab.Open(realProof)
	if err != nil {
		return nil, err
	}
	rule, proof := experiment.RuleTable(paired.DefaultRule()), experiment.Of(run).ProofTable()
	return map[string]string{rule.Name: rule.Markdown(), proof.Name: proof.Markdown()}, nil
}

// burst are the kept burst beside its roofline, what was served at steady rates, and how a
// program from before adjacent streams took the same work.
func burst() (map[string]string, error) {
	capacity, err := tableOf(burstRun, "capacity")
	if err != nil {
		return nil, err
	}
	served, err := tableOf(servedRun, "throughput")
	if err != nil {
		return nil, err
	}
	pairs, err := ab.Open(burstPairs)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"burst-capacity": capacity, "served-throughput": served, "burst-pairs": experiment.Of(pairs).VerdictTable().Markdown(),
	}, nil
}

// tableOf is one table of the report on a kept run.
func tableOf(dir, name string) (string, error) {
	run, err := analysis.Load(dir, analysis.Options{})
	if err != nil {
		return "", err
	}
	r, err := report.Of(run)
	if err != nil {
		return "", err
	}
	text, err := r.Table(name, "markdown")
	return string(text), err
}

// fitted are the tables of the kept fit.
func fitted() (map[string]string, error) {
	r, err := fitting.Read(fitRecord)
	if err != nil {
		return nil, err
	}
	return markdown(fitting.Tables(r)), nil
}
