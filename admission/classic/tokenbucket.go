package classic

import (
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

var tokenBucketKind = admission.Kind{
	Name:   "token-bucket",
	Source: "the token bucket of traffic policing (Turner 1986; RFC 2697), one token a request",
	Doc:    "takes requests at a fixed rate, and bursts of a fixed size",
	Params: []admission.Param{
		{Name: "rate", Default: 1, Min: 1e-3, Max: 1e4, Unit: "1/s", Doc: "tokens that come in a second", Search: admission.Range{Low: 0.1, High: 100}},
		{Name: "burst", Default: 8, Min: 1, Max: 1e6, Unit: "requests", Doc: "tokens that the full bucket holds", Search: admission.Range{Low: 1, High: 64, Whole: true}},
	},
	New: func(p admission.Params, _ admission.Spec, _ admission.Env) (admission.Policy, error) {
		return &tokenBucket{rate: p["rate"], burst: p["burst"], tokens: p["burst"]}, nil
	},
}

// tokenBucket polices the rate of what is taken. It is full at the beginning.
type tokenBucket struct {
	admission.Base
	rate, burst float64
	tokens      float64
	at          time.Duration // when tokens was right
}

// Decide implements Policy.
func (b *tokenBucket) Decide(_ *admission.Request, s *admission.Snapshot) admission.Decision {
	b.tokens = min(b.burst, b.tokens+b.rate*(s.Now-b.at).Seconds())
	b.at = s.Now
	if b.tokens < 1 {
		return sheds(s, admission.OverLimit)
	}
	b.tokens--
	return takes(s)
}
