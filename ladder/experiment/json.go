package experiment

import (
	"encoding/json"
	"math"

	"github.com/cadence-bench/cadence-bench/analysis/paired"
	"github.com/cadence-bench/cadence-bench/ladder/ab"
	"github.com/cadence-bench/cadence-bench/results"
)

// document is the report for machines. Slowdowns are shares; what is not known is null.
type document struct {
	Schema int               `json:"schema"`
	Proof  bool              `json:"proof"`
	Rule   paired.Rule       `json:"rule"`
	Sides  map[string]string `json:"sides"`
	Seed   uint64            `json:"order_seed"`
	Pairs  int               `json:"pairs_of_a_gate"`
	Blocks int               `json:"blocks"` // that are measured
	Of     int               `json:"of_blocks"`
	Arms   []jsonArm         `json:"arms"`
}

type jsonArm struct {
	Name     string               `json:"name"`
	Planted  float64              `json:"planted"`
	Verdict  paired.Verdict       `json:"verdict"` // of all pairs
	Reason   string               `json:"reason"`
	Slowdown jsonInterval         `json:"slowdown"`
	Smallest results.Opt[float64] `json:"smallest_detectable"`
	Figures  []jsonFigure         `json:"figures"` // not judged
	Gates    []jsonGate           `json:"gates,omitempty"`
	Shares   []jsonShare          `json:"shares,omitempty"`
}

type jsonInterval struct {
	Estimate results.Opt[float64] `json:"estimate"`
	Lower    results.Opt[float64] `json:"lower"`
	Upper    results.Opt[float64] `json:"upper"`
}

type jsonFigure struct {
	Name   string       `json:"name"`
	Pairs  int          `json:"pairs"`
	Change jsonInterval `json:"change"`
}

type jsonGate struct {
	Pairs    int                  `json:"pairs"`
	Verdict  paired.Verdict       `json:"verdict"`
	Slowdown jsonInterval         `json:"slowdown"`
	Smallest results.Opt[float64] `json:"smallest_detectable"`
}

type jsonShare struct {
	Pairs   int            `json:"pairs"` // of a gate
	Verdict paired.Verdict `json:"verdict"`
	Gates   int            `json:"gates"`
	Of      int            `json:"of"`
	Lo      float64        `json:"ci95_lo"`
	Hi      float64        `json:"ci95_hi"`
}

func finite(v float64) results.Opt[float64] {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return results.Opt[float64]{}
	}
	return results.Some(v)
}

func intervalJSON(i paired.Interval) jsonInterval {
	return jsonInterval{finite(i.Estimate), finite(i.Lower), finite(i.Upper)}
}

func (r Report) json() ([]byte, error) {
	j := document{
		Schema: ab.Schema, Proof: r.run.Proof(), Rule: r.run.Rule, Sides: map[string]string{}, Seed: r.run.Seed,
		Pairs: r.run.Gate, Blocks: len(r.run.Blocks), Of: r.run.Manifest.Blocks,
	}
	for name, side := range r.run.Sides {
		j.Sides[name] = sideName(side)
	}
	for _, a := range r.arms {
		arm := jsonArm{
			Name: a.Name, Planted: a.Planted, Verdict: a.Verdict, Reason: a.Reason,
			Slowdown: intervalJSON(a.Slowdown), Smallest: finite(a.Smallest),
		}
		for _, f := range a.figures {
			arm.Figures = append(arm.Figures, jsonFigure{f.name, f.n, intervalJSON(f.change)})
		}
		for _, tally := range a.tallies {
			if !j.Proof || len(tally.Gates) == 0 {
				continue
			}
			for _, g := range tally.Gates {
				arm.Gates = append(arm.Gates, jsonGate{tally.pairs, g.Verdict, intervalJSON(g.Slowdown), finite(g.Smallest)})
			}
			for _, v := range paired.Verdicts() {
				s := tally.Share(v)
				arm.Shares = append(arm.Shares, jsonShare{tally.pairs, v, s.Of, s.All, s.Lo, s.Hi})
			}
		}
		j.Arms = append(j.Arms, arm)
	}
	data, err := json.MarshalIndent(j, "", "  ")
	return append(data, '\n'), err
}
