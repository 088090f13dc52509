package cautions

import (
	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
)

// Tail is what the requests of one rung and rate support of a 99th percentile: each
// cell's by itself, and those of all cells together.
type Tail struct {
	Rung       string
	OfferedRPS float64
	Cells      int
	Fewest     int // admitted requests in the smallest cell
	Unanswered int // of all cells' together
	TTFT, E2E  stats.Quantile
	// NeedTTFT and NeedE2E are how many requests an interval with two ends takes, at the
	// share of unanswered ones that there was; 0 when no number will do, as the
	// quantile itself falls on an unanswered one.
	NeedTTFT, NeedE2E int
}

// TailOf pools the requests of the point's used cells. Cells of one seed at other rungs
// are other requests; those of replicates are the same ones measured again, and are
// pooled too.
func TailOf(p *analysis.Point) Tail {
	t := Tail{Rung: p.Rung, OfferedRPS: p.OfferedRPS}
	var ttft, e2e []stats.Sample
	for _, c := range p.Used() {
		if t.Cells == 0 || c.E2Es.Len() < t.Fewest {
			t.Fewest = c.E2Es.Len()
		}
		t.Cells++
		ttft, e2e = append(ttft, c.TTFTs), append(e2e, c.E2Es)
	}
	all := stats.Pool(e2e)
	t.Unanswered = all.Censored()
	t.TTFT, t.NeedTTFT = p99Of(stats.Pool(ttft))
	t.E2E, t.NeedE2E = p99Of(all)
	return t
}

func p99Of(s stats.Sample) (stats.Quantile, int) {
	const p = 0.99
	if s.Len() == 0 {
		return s.Quantile(p), stats.Need(p)
	}
	return s.Quantile(p), stats.NeedOf(p, 1-float64(s.Len()-s.Censored())/float64(s.Len()))
}

// Tails returns every point's, in the sweep's order.
func Tails(s *analysis.Sweep) []Tail {
	tails := make([]Tail, len(s.Points))
	for i := range s.Points {
		tails[i] = TailOf(&s.Points[i])
	}
	return tails
}
