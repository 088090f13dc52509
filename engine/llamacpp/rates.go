package llamacpp

import "math"

// ratePrompt is the tokens of each prompt: the same for every library, whatever its speed.
const ratePrompt = 256

// Rates are tokens per second, of one sequence alone and of one beside a full batch of 24
// (prefill) or of all 24 (decode).
type Rates struct{ Prefill, Decode, FullPrefill, FullDecode float64 }

// MeasureRates times a model with the loaded library, in the default layout on as many
// threads as the machine has cores: prompts of 256 tokens, the best of up to three rounds.
func MeasureRates(m *Model) (r Rates, err error) {
	one, err := measureLayout(m, Params{Seqs: 1}, DefaultLayout, ratePrompt, math.Inf(1))
	if err != nil {
		return r, err
	}
	full, err := measureLayout(m, Params{Seqs: trialSeqs}, DefaultLayout, ratePrompt, math.Inf(1))
	return Rates{one.PrefillTPS, one.DecodeTPS, full.PrefillTPS, full.DecodeTPS}, err
}
