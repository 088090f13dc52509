package classic

import (
	"github.com/cadence-bench/cadence-bench/admission"
)

var queuedTokensCapKind = admission.Kind{
	Name:   "queued-tokens-cap",
	Source: "the token budget of Text Generation Inference (max-batch-total-tokens: prompt and longest answer of each), here over all that is in flight",
	Doc:    "refuses what would raise the tokens still to be computed above a cap",
	Params: []admission.Param{
		// 16384 is what 24 requests of the default workload need, of about 680 tokens with their longest answers.
		{Name: "tokens", Default: 16384, Min: 1, Max: 1 << 30, Unit: "tokens", Doc: "most tokens to be computed of all requests in flight, the new one included", Search: admission.Range{Low: 256, High: 65536, Whole: true}},
		{Name: "expected", Default: 0, Min: 0, Max: 1, Doc: "1 counts answers of the mean length so far instead of the longest", Search: admission.Range{Low: 0, High: 1, Whole: true}},
	},
	New: func(p admission.Params, _ admission.Spec, _ admission.Env) (admission.Policy, error) {
		return &queuedTokensCap{tokens: p["tokens"], expected: p["expected"] >= 0.5}, nil
	},
}

// queuedTokensCap bounds the tokens that are still to be computed. A prompt's cached
// part is not among them, since this engine does not compute it.
type queuedTokensCap struct {
	admission.Base
	tokens   float64
	expected bool
	mean     runningMean // share of its limit that an answer takes
}

// Decide implements Policy. The idle engine takes a request of any size.
func (c *queuedTokensCap) Decide(r *admission.Request, s *admission.Snapshot) admission.Decision {
	share := 1.0
	if c.expected && c.mean.n > 0 {
		share = c.mean.mean
	}
	sum := float64(r.Fresh()) + share*float64(r.MaxTokens)
	for i := range s.Queue {
		sum += tokensLeft(&s.Queue[i], share)
	}
	for i := range s.Batch {
		sum += tokensLeft(&s.Batch[i], share)
	}
	if sum > c.tokens && !s.Idle() {
		return sheds(s, admission.OverLimit)
	}
	return takes(s)
}

// tokensLeft is how many tokens a request still needs, if its answer takes a share of
// its limit; at least one more.
func tokensLeft(w *admission.Work, share float64) float64 {
	return float64(w.Prefill) + max(1, share*float64(w.MaxTokens)-float64(w.Output))
}

// Ended implements Policy.
func (c *queuedTokensCap) Ended(o *admission.Outcome) {
	if o.Finished {
		c.mean.add(float64(o.Output) / float64(max(1, o.Request.MaxTokens)))
	}
}

// runningMean is the mean of all values so far.
type runningMean struct{ n, mean float64 }

func (m *runningMean) add(x float64) {
	m.n++
	m.mean += (x - m.mean) / m.n
}
