package cautions

import (
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

// AnchorMetrics are the metrics by which anchors are compared with the cells that they
// repeat.
func AnchorMetrics() []analysis.Metric {
	return []analysis.Metric{analysis.Goodput, analysis.TTFTP50, analysis.E2EP50, analysis.E2EP99, ProbeSpeed}
}

// ProbeSpeed is the machine's speed before a cell: the decode rate of its probe.
var ProbeSpeed = func() analysis.Metric {
	m := analysis.ProbeDecode
	m.Key, m.Label = "probe_before_tokens_per_s", "probe"
	return m
}()

// AnchorRow is one metric of a rung at one rate, measured in its place in the sweep and
// again after everything else.
type AnchorRow struct {
	analysis.Metric
	Rung       string
	OfferedRPS float64
	Between    int            // how many cells were measured between the two, at least
	First      analysis.Range // over the seeds whose anchor and first measurement are both valid
	Anchor     analysis.Range
	// Difference is the anchor over the first measurement, less one, by seed. A seed that
	// is only a bound in either, or zero in the first, is not in it.
	Difference analysis.Range
}

// AnchorReport is what anchors say of comparing cells that were not measured side by side.
type AnchorReport struct {
	Rows []AnchorRow // by rate and metric
	// Worst is the largest difference of each of AnchorMetrics over all rates and seeds, by
	// size; null where none could be compared.
	Worst []results.Opt[float64]
	Void  int // anchors without a valid first measurement, or invalid themselves
}

// Anchors compares every anchor with the first measurement of its rung, rate and seed.
func Anchors(s *analysis.Sweep) AnchorReport {
	metrics := AnchorMetrics()
	rep := AnchorReport{Worst: make([]results.Opt[float64], len(metrics))}
	type pair struct{ first, anchor *analysis.CellMetrics }
	pairs := map[float64][]pair{}
	var rates []float64
	for i := range s.Anchors {
		a := &s.Anchors[i]
		first := firstOf(s, a.Cell.Key)
		if first == nil || !first.Valid() || !a.Valid() {
			rep.Void++
			continue
		}
		if !slices.Contains(rates, a.Cell.OfferedRPS) {
			rates = append(rates, a.Cell.OfferedRPS)
		}
		pairs[a.Cell.OfferedRPS] = append(pairs[a.Cell.OfferedRPS], pair{first, a})
	}
	slices.Sort(rates)
	for _, rate := range rates {
		for k, m := range metrics {
			row := AnchorRow{Metric: m, OfferedRPS: rate, Between: math.MaxInt}
			for _, p := range pairs[rate] {
				row.Rung = p.anchor.Cell.Rung
				row.Between = min(row.Between, p.anchor.Cell.Order-p.first.Cell.Order-1)
				was, is := m.Of(p.first), m.Of(p.anchor)
				row.First.Add(was)
				row.Anchor.Add(is)
				if !was.OK || !is.OK || was.Bound || is.Bound || was.V == 0 {
					continue
				}
				d := is.V/was.V - 1
				row.Difference.Add(analysis.Value{V: d, OK: true})
				if w := &rep.Worst[k]; !w.OK || math.Abs(d) > math.Abs(w.V) {
					*w = results.Some(d)
				}
			}
			rep.Rows = append(rep.Rows, row)
		}
	}
	return rep
}

// firstOf returns the first measurement of an anchor's rung, rate and seed, or nil.
func firstOf(s *analysis.Sweep, anchor results.Key) *analysis.CellMetrics {
	anchor.Anchor, anchor.Replicate = false, 0
	for i := range s.Cells {
		if s.Cells[i].Cell.Key == anchor {
			return &s.Cells[i]
		}
	}
	return nil
}
