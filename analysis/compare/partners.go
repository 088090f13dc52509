package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

// Arm is one side of a comparison: a run, or one rung of it.
type Arm struct {
	Name  string // in messages
	Sweep *analysis.Sweep
	Rung  string // only this one; "" means all
	// Records reads the rows of a cell of the sweep.
	Records func(results.Key) ([]results.Record, error)
}

// Partners are two valid cells that replayed the same tape.
type Partners struct{ A, B *analysis.CellMetrics }

// Matching says which cells of two arms pair and which do not.
type Matching struct {
	Pairs []Partners // by rung in A's order, rate and seed
	Alone []string   // cells without a partner, and why
	Void  []string   // cells that are invalid, and why; their partners are alone
}

type matchKey struct {
	rung      string
	rate      float64
	seed      uint64
	replicate int
}

// Match pairs the cells of two arms by rung, rate, seed, replicate and tape. The rung does
// not count when both arms are single rungs; anchors do not take part. Cells without a tape hash pair with none.
func Match(a, b Arm) Matching {
	var m Matching
	key := func(c *analysis.CellMetrics) matchKey {
		k := matchKey{c.Cell.Rung, c.Cell.OfferedRPS, c.Cell.Seed, c.Cell.Replicate}
		if a.Rung != "" && b.Rung != "" {
			k.rung = ""
		}
		return k
	}
	left, right := m.valid(a), m.valid(b)
	waiting := map[matchKey][]*analysis.CellMetrics{}
	for _, c := range right {
		waiting[key(c)] = append(waiting[key(c)], c)
	}
	for _, c := range left {
		others := waiting[key(c)]
		if len(others) == 0 {
			m.Alone = append(m.Alone, fmt.Sprintf("%s of %s has no valid partner", c.Cell.Name(), a.Name))
			continue
		}
		other := others[0]
		waiting[key(c)] = others[1:]
		if h := c.Cell.TapeHash; h == "" || h != other.Cell.TapeHash {
			m.Alone = append(m.Alone, fmt.Sprintf("%s of %s and %s of %s replayed different tapes", c.Cell.Name(), a.Name, other.Cell.Name(), b.Name))
			continue
		}
		m.Pairs = append(m.Pairs, Partners{c, other})
	}
	for _, c := range right {
		if slices.Contains(waiting[key(c)], c) {
			m.Alone = append(m.Alone, fmt.Sprintf("%s of %s has no valid partner", c.Cell.Name(), b.Name))
		}
	}
	order := func(p Partners) int { return slices.Index(a.Sweep.Rungs, p.A.Cell.Rung) }
	slices.SortStableFunc(m.Pairs, func(p, q Partners) int {
		return cmp.Or(order(p)-order(q), cmp.Compare(p.A.Cell.OfferedRPS, q.A.Cell.OfferedRPS), cmp.Compare(p.A.Cell.Seed, q.A.Cell.Seed), cmp.Compare(p.A.Cell.Replicate, q.A.Cell.Replicate))
	})
	return m
}

// valid returns an arm's valid cells and notes the others.
func (m *Matching) valid(arm Arm) []*analysis.CellMetrics {
	var cells []*analysis.CellMetrics
	for i := range arm.Sweep.Cells {
		c := &arm.Sweep.Cells[i]
		switch {
		case arm.Rung != "" && c.Cell.Rung != arm.Rung:
		case c.Valid():
			cells = append(cells, c)
		default:
			m.Void = append(m.Void, fmt.Sprintf("%s of %s: %s", c.Cell.Name(), arm.Name, c.Invalid[0].Text))
		}
	}
	return cells
}
