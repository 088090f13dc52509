package verdict

import (
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis/decided"
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/internal/regular"
	"github.com/cadence-bench/cadence-bench/results"
)

// Explain says in g of the cells whose figures failed what was decided otherwise than in the
// baseline. Without the baseline's decisions it says so, and what their hashes tell: that
// they cannot be read changes no verdict.
func (g *Gate) Explain(file string, now []decided.Cell) {
	asked := blamed(g.Result.Blamed(), now)
	before, err := readDecisions(file, g.Baseline)
	if err == nil {
		g.Why = WhyOf(decided.Explain(before, now, asked, decided.Limits{}))
		return
	}
	w := Why{Notes: []string{fmt.Sprintf("The baseline's decisions cannot be told: %v.", err)}}
	_, partings := gate.Partings(g.Baseline, g.Now)
	for _, p := range partings {
		if slices.ContainsFunc(asked, func(k results.Key) bool { return k.Name() == p.Cell }) && len(w.Notes) <= 3 {
			w.Notes = append(w.Notes, parted(p))
		}
	}
	g.Why = w
}

// blamed lists the cells of points, in the points' order.
func blamed(points []gate.Point, now []decided.Cell) (keys []results.Key) {
	for _, p := range points {
		for i := range now {
			if k := now[i].Key; k.Rung == p.Rung && (p.RateRPS == 0 || p.RateRPS == k.OfferedRPS) {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// readDecisions reads the decisions of a baseline, which must be those that it has the
// hashes of.
func readDecisions(file string, b gate.Baseline) ([]decided.Cell, error) {
	data, err := regular.ReadFile(file)
	if err != nil {
		return nil, err
	}
	cells, err := decided.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	hashes := map[string]string{}
	for _, d := range b.Decisions {
		hashes[d.Cell] = d.Final
	}
	for _, d := range gate.DecisionsOf(cells) {
		if hashes[d.Cell] != d.Final {
			return nil, fmt.Errorf("%s is not the baseline's: cell %s has another hash there; write both again by --update", file, d.Cell)
		}
	}
	return cells, nil
}

// parted says what hashes tell of where a cell's decisions differ.
func parted(p gate.Parting) string {
	where := "from the first steps on"
	if p.After >= 0 {
		where = fmt.Sprintf("after step %d", p.After)
	}
	if p.By >= 0 {
		where += fmt.Sprintf(", and by step %d at the latest", p.By)
	}
	return fmt.Sprintf("By their hashes, the decisions of cell %s differ %s.", p.Cell, where)
}
