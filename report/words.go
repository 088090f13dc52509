package report

import (
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/claims"
	"github.com/cadence-bench/cadence-bench/analysis/knees"
	"github.com/cadence-bench/cadence-bench/report/format"
)

// Words says in plain sentences what the headline table shows.
func Words(s *analysis.Sweep) []string {
	hs := knees.Headlines(s)
	ratios := claims.PeakRatios(s, s.Rungs)
	var words []string
	for i, h := range hs {
		if h.Peak == nil {
			words = append(words, fmt.Sprintf("%s has no valid cell.", h.Rung))
			continue
		}
		w := fmt.Sprintf("%s answers at most %s requests per second within the SLO, at %s offered", h.Rung, format.Sig3(h.Goodput.Mean), format.Short(h.Peak.OfferedRPS))
		if h.Gain > 0 {
			w += fmt.Sprintf(": %s", told(ratios[i-1], hs[i-1].Rung))
		}
		words = append(words, w+".")
	}
	var tails []string
	for _, h := range hs {
		if h.Tail.N > 0 {
			tails = append(tails, fmt.Sprintf("%s s for %s", format.Scale{Factor: 1}.Bounded(h.Tail.Mean, h.Tail.Bounds > 0), h.Rung))
		}
	}
	if len(tails) > 0 {
		words = append(words, fmt.Sprintf("At %s requests per second, the highest rate that all were offered, p99 end-to-end latency is %s.",
			format.Short(hs[0].TailRPS), strings.Join(tails, ", ")))
	}
	return words
}

// alike is how near to 1 a ratio's whole interval is where two rungs count as equal.
const alike = 0.1

// told says how many times what another rung does it is, with its interval and what follows from
// that.
func told(e claims.Evidence, other string) string {
	ratio := fmt.Sprintf("%s times what %s does", format.Sig3(e.Value), other)
	if !e.Interval || e.Missing {
		return ratio + "; too few seeds to tell that from noise"
	}
	verdict := "not told apart"
	switch {
	case e.Lo > 1-alike && e.Hi < 1+alike:
		verdict = "equal within 10%"
	case e.Lo > 1 || e.Hi < 1:
		verdict = "told apart"
	}
	return fmt.Sprintf("%s [%s, %s], %s", ratio, format.Sig3(e.Lo), format.Sig3(e.Hi), verdict)
}
