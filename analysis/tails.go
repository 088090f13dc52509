package analysis

// Tail is what the requests of one rung and rate support of a 99th percentile: each
// cell's by itself, and those of all cells together.
type Tail struct {
	Rung       string
	OfferedRPS float64
	Cells      int
	Fewest     int // admitted requests in the smallest cell
	Unanswered int // of all cells' together
	TTFT, E2E  Quantile
	// NeedTTFT and NeedE2E are how many requests an interval with two ends takes, at the
	// share of unanswered ones that there was; 0 when no number will do, as the
	// quantile itself falls on an unanswered one.
	NeedTTFT, NeedE2E int
}

// Tail pools the requests of the point's used cells. Cells of one seed at other rungs
// are other requests; those of replicates are the same ones measured again, and are
// pooled too.
func (p *Point) Tail() Tail {
	t := Tail{Rung: p.Rung, OfferedRPS: p.OfferedRPS}
	var ttft, e2e []Sample
	for _, c := range p.Used() {
		if t.Cells == 0 || c.e2e.Len() < t.Fewest {
			t.Fewest = c.e2e.Len()
		}
		t.Cells++
		ttft, e2e = append(ttft, c.ttft), append(e2e, c.e2e)
	}
	all := pool(e2e)
	t.Unanswered = all.Len() - len(all.exact)
	t.TTFT, t.NeedTTFT = p99Of(pool(ttft))
	t.E2E, t.NeedE2E = p99Of(all)
	return t
}

func p99Of(s Sample) (Quantile, int) {
	const p = 0.99
	if s.Len() == 0 {
		return s.Quantile(p), Need(p)
	}
	return s.Quantile(p), NeedOf(p, 1-float64(len(s.exact))/float64(s.Len()))
}

// Tails returns every point's, in the sweep's order.
func (s *Sweep) Tails() []Tail {
	tails := make([]Tail, len(s.Points))
	for i := range s.Points {
		tails[i] = s.Points[i].Tail()
	}
	return tails
}

// pool puts samples together.
func pool(samples []Sample) Sample {
	var all []Observation
	for _, s := range samples {
		for _, v := range s.exact {
			all = append(all, Observation{Value: v})
		}
		for _, v := range s.censored() {
			all = append(all, Observation{Value: v, Censored: true})
		}
	}
	return NewSample(all)
}

// censored returns the bounds of the censored observations: what lower has over exact.
func (s Sample) censored() []float64 {
	if len(s.exact) == len(s.lower) {
		return nil
	}
	bounds := make([]float64, 0, len(s.lower)-len(s.exact))
	i := 0
	for _, v := range s.lower {
		if i < len(s.exact) && s.exact[i] == v {
			i++
			continue
		}
		bounds = append(bounds, v)
	}
	return bounds
}
