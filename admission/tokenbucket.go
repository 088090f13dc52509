package admission

import "time"

var tokenBucketKind = Kind{
	Name:   "token-bucket",
	Source: "the token bucket of traffic policing (Turner 1986; RFC 2697), one token a request",
	Doc:    "takes requests at a fixed rate, and bursts of a fixed size",
	Params: []Param{
		{Name: "rate", Default: 1, Min: 1e-3, Max: 1e4, Unit: "1/s", Doc: "tokens that come in a second", Search: Range{Low: 0.1, High: 100}},
		{Name: "burst", Default: 8, Min: 1, Max: 1e6, Unit: "requests", Doc: "tokens that the full bucket holds", Search: Range{Low: 1, High: 64, Whole: true}},
	},
	New: func(p Params, _ Spec, _ Env) (Policy, error) {
		return &tokenBucket{rate: p["rate"], burst: p["burst"], tokens: p["burst"]}, nil
	},
}

// tokenBucket polices the rate of what is taken. It is full at the beginning.
type tokenBucket struct {
	Base
	rate, burst float64
	tokens      float64
	at          time.Duration // when tokens was right
}

// Decide implements Policy.
func (b *tokenBucket) Decide(_ *Request, s *Snapshot) Decision {
	b.tokens = min(b.burst, b.tokens+b.rate*(s.Now-b.at).Seconds())
	b.at = s.Now
	if b.tokens < 1 {
		return sheds(s, OverLimit)
	}
	b.tokens--
	return takes(s)
}
