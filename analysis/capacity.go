package analysis

import (
	"slices"

	"github.com/cadence-bench/cadence-bench/results"
)

// Capacity says how near to its roofline a rung served a burst: all of a tape's requests
// within moments, then answered to the end.
type Capacity struct {
	*Point
	Took  []float64 // seconds until the last answer, of each cell, ascending, as are the others
	Least []float64 // seconds that the work takes at least
	Share []float64 // Least over Took, cell by cell
	// Rows are what the engine computed, prompts and answers; none for a server.
	Rows      []float64
	LeastRows int
}

// Capacities are those of the points whose cells answered every request and have a
// roofline. A server has that of the cells beside it: of those with its tape and replicate,
// the lowest, whose rung caches if one does.
func (s *Sweep) Capacities() []Capacity {
	var all []Capacity
	for i := range s.Points {
		c := Capacity{Point: &s.Points[i]}
		for _, m := range c.Used() {
			if roof := s.roofline(m); roof.OK && m.Completed == m.Rows && m.Cell.EndedS > 0 {
				c.add(m, &roof.V)
			}
		}
		if len(c.Took) > 0 {
			for _, of := range [][]float64{c.Took, c.Least, c.Share, c.Rows} {
				slices.Sort(of)
			}
			all = append(all, c)
		}
	}
	return all
}

func (c *Capacity) add(m *CellMetrics, roof *results.Roofline) {
	least := roof.Least().Seconds()
	c.Took, c.Least, c.Share = append(c.Took, m.Cell.EndedS), append(c.Least, least), append(c.Share, least/m.Cell.EndedS)
	c.LeastRows = roof.PromptRows + roof.DecodeRows
	if m.Cell.Roofline.OK {
		c.Rows = append(c.Rows, float64(m.Cell.Steps.Rows))
	}
}

// roofline is the cell's own or, for a server, that of the cells beside it.
func (s *Sweep) roofline(m *CellMetrics) results.Opt[results.Roofline] {
	best := m.Cell.Roofline
	if best.OK {
		return best
	}
	for i := range s.Cells {
		c := &s.Cells[i].Cell
		beside := c.TapeHash == m.Cell.TapeHash && c.Replicate == m.Cell.Replicate && c.Roofline.OK
		if beside && (!best.OK || c.Roofline.V.PromptRows < best.V.PromptRows) {
			best = c.Roofline
		}
	}
	return best
}
