package fit

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/record"
)

// keptScores is how many scores of a regime and level are kept: as many as a policy's
// window holds, and enough for 99.5%.
const keptScores = 400

// Make fits all predictors on some blocks and calibrates them on others: what an engine
// can start from.
func Make(blocks []record.Block, fit, calibrate []int) (*admission.Fitted, error) {
	fitted, err := Learn(pick(blocks, fit))
	if err != nil {
		return nil, err
	}
	var scores []admission.FittedScores
	for _, s := range Subjects() {
		cal, _, err := samples(s.Predictor, fitted, blocks, calibrate)
		if err != nil {
			return nil, err
		}
		scores = append(scores, s.scores(cal))
	}
	fitted.Scores = scores
	return fitted, nil
}

// scores are what is kept of the scores of calibration.
func (s Subject) scores(cal []sample) admission.FittedScores {
	kept := admission.FittedScores{Predictor: s.Predictor, Score: s.Score}
	levels := Levels()
	if s.pooled() { // they do not depend on the level
		levels = levels[:1]
	} else {
		for i := range cal {
			r := cal[i].regime
			kept.Given[r] = append(kept.Given[r], s.given(&cal[i]))
		}
	}
	for r := range kept.Given {
		kept.Given[r] = thin(kept.Given[r])
	}
	for _, level := range levels {
		l := admission.LevelScores{Alpha: round(1 - level)}
		for i := range cal {
			r := cal[i].regime
			l.Scores[r] = append(l.Scores[r], s.of(&cal[i], level))
		}
		for r := range l.Scores {
			l.Scores[r] = thin(l.Scores[r])
		}
		kept.Levels = append(kept.Levels, l)
	}
	return kept
}

// thin keeps at most keptScores, evenly spread over the order, so that their quantiles are
// those of all; shuffled, so that a window that drops the oldest stays fair.
func thin(scores []float64) []float64 {
	all := slices.Clone(scores)
	slices.Sort(all)
	n := min(len(all), keptScores)
	out := make([]float64, n)
	for i := range out {
		out[i] = round(all[(2*i+1)*len(all)/(2*n)])
	}
	rng := rand.New(rand.NewPCG(uint64(len(scores)), 0x7468696e))
	rng.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// round keeps a millionth, so that an artifact stays small.
func round(x float64) float64 { return math.Round(x*1e6) / 1e6 }
