package paired

import (
	"fmt"
	"math"
)

// Segment is one side of a pair: what was asked of it, what it did, and how long it took.
type Segment struct {
	Tape      string `json:"tape"` // SHA-256 of the requests
	Requests  int    `json:"requests"`
	Completed int    `json:"completed"`
	Prompt    int    `json:"prompt_tokens"`
	Output    int    `json:"output_tokens"`
	// Answers is a hash of how many tokens each request had in its prompt and in its answer.
	Answers string `json:"answers"`
	// Seconds from the first arrival to the last token: what is judged.
	Seconds float64 `json:"seconds"`
}

// Unequal says in words why two segments are not the same work, so that their times
// must not be compared; "" when they are.
func Unequal(a, b Segment) string {
	for _, s := range []struct {
		side string
		Segment
	}{{"A", a}, {"B", b}} {
		switch {
		case s.Requests == 0:
			return s.side + " was asked nothing"
		case s.Completed != s.Requests:
			return fmt.Sprintf("%s answered %d of %d requests", s.side, s.Completed, s.Requests)
		case !(s.Seconds > 0) || math.IsInf(s.Seconds, 0):
			return fmt.Sprintf("%s took %v s", s.side, s.Seconds)
		}
	}
	switch {
	case a.Tape != b.Tape:
		return "A and B replayed different tapes"
	case a.Prompt != b.Prompt:
		return fmt.Sprintf("the prompts were %d tokens in A and %d in B", a.Prompt, b.Prompt)
	case a.Output != b.Output:
		return fmt.Sprintf("A gave %d tokens and B %d", a.Output, b.Output)
	case a.Answers != b.Answers:
		return "the answers to single requests have other lengths in A than in B"
	}
	return ""
}

// Pair is the same work done by A and by B.
type Pair struct{ A, B Segment }

// Log is the logarithm of B's time over A's.
func (p Pair) Log() float64 { return math.Log(p.B.Seconds / p.A.Seconds) }

// JudgePairs judges pairs by their time. A pair that is not of equal work leaves the
// gate inconclusive: to leave it out would let B pass by failing what is slow.
func (r Rule) JudgePairs(pairs []Pair) Judgement {
	logs := make([]float64, len(pairs))
	for i, p := range pairs {
		if why := Unequal(p.A, p.B); why != "" {
			return Judgement{
				Pairs: len(pairs), Slowdown: Interval{math.NaN(), math.Inf(-1), math.Inf(1)}, Smallest: math.Inf(1),
				Verdict: Inconclusive, Reason: fmt.Sprintf("pair %d is not equal work: %s", i+1, why),
			}
		}
		logs[i] = p.Log()
	}
	return r.Judge(logs)
}
