package results

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestValidateAccepts(t *testing.T) {
	shed := Record{Outcome: Shed, Intended: 5, Sent: Some(time.Duration(5)), Ended: Some(time.Duration(5)), MaxTokens: 16}
	waiting := Record{Outcome: TimedOut, Sent: Some(time.Duration(1)), Ended: Some(time.Duration(90)), MaxTokens: 16}
	neverSent := Record{Outcome: Failed, Reason: Some("connection refused"), MaxTokens: 16}
	external := completed() // several tokens in a chunk, start not visible
	external.Started = Opt[time.Duration]{}
	external.Tokens = []time.Duration{150, 150, 160}
	refused, dropped, aborted := shed, shed, completed()
	refused.Admission = Some(Admission{Reason: "too-late"})
	dropped.Admission = Some(Admission{Admitted: true, Reason: "fits"})
	aborted.Outcome, aborted.Reason = Failed, Some(AbortedReason)
	aborted.Admission = dropped.Admission
	for _, r := range []Record{completed(), shed, waiting, neverSent, external, refused, dropped, aborted} {
		require.NoError(t, r.Validate())
	}
}

// Each case breaks a valid record in one way; every rule has a case.
// guidellm#216: a TTFT of −1.75e12 ms. vllm-omni#6693: a negative TPOT passes
// every upper-bound gate. sglang#34149: a token leaks out after an abort.
// inference-perf#245: a stage is "complete" with results pending. LMCache#3269:
// a negative cached count.
func TestValidateRefuses(t *testing.T) {
	none := Opt[time.Duration]{}
	cases := map[string]func(*Record){
		"request is negative":                                 func(r *Record) { r.Request = -1 },
		"outcome is unknown":                                  func(r *Record) { r.Outcome = "200" },
		"outcome is failed without a reason":                  func(r *Record) { r.Outcome = Failed },
		"intended_ns is negative":                             func(r *Record) { r.Intended = -1 },
		"sent_ns is before intended_ns":                       func(r *Record) { r.Sent = Some(time.Duration(99)) },
		"started_ns is before sent_ns":                        func(r *Record) { r.Started = Some(time.Duration(109)) },
		"ended_ns is before intended_ns":                      func(r *Record) { r.Ended = Some(time.Duration(-175e10)) },
		"ended_ns is before sent_ns":                          func(r *Record) { r.Ended = Some(time.Duration(109)) },
		"ended_ns is before started_ns":                       func(r *Record) { r.Ended = Some(time.Duration(119)) },
		"ended_ns is null although the outcome is not failed": func(r *Record) { r.Ended = none },
		"started_ns without sent_ns":                          func(r *Record) { r.Sent = none },
		"tokens without sent_ns":                              func(r *Record) { r.Sent = none },
		"the first token is before sent_ns":                   func(r *Record) { r.Tokens[0] = 109 },
		"the first token is before started_ns":                func(r *Record) { r.Tokens[0] = 119 },
		"token_ns decreases":                                  func(r *Record) { r.Tokens[1] = 129 },
		"a token is after ended_ns":                           func(r *Record) { r.Tokens[2] = 161 },
		"completed without a token":                           func(r *Record) { r.Tokens = nil },
		"completed without sent_ns":                           func(r *Record) { r.Sent = none },
		"shed after it started":                               func(r *Record) { r.Outcome = Shed },
		"neither admitted nor shed":                           func(r *Record) { r.Admission.OK = true },
		"prompt_tokens is negative":                           func(r *Record) { r.PromptTokens = -1 },
		"cached_tokens is not within 0 and prompt_tokens":     func(r *Record) { r.CachedTokens = Some(int32(541)) },
		"shared_tokens is not within 0 and prompt_tokens":     func(r *Record) { r.SharedTokens = Some(int32(-1)) },
		"max_tokens is negative":                              func(r *Record) { r.MaxTokens = -1 },
		"more output tokens than max_tokens":                  func(r *Record) { r.MaxTokens = 2 },
		"stop_tokens is not within 0 and max_tokens":          func(r *Record) { r.StopTokens = Some(int32(17)) },
	}
	for _, rule := range rules {
		require.Contains(t, cases, rule.text)
	}
	require.Len(t, cases, len(rules))
	for text, breakIt := range cases {
		r := completed()
		breakIt(&r)
		require.ErrorContains(t, r.Validate(), text)
		require.ErrorContains(t, r.Validate(), "request ")
	}
}

func TestViolations(t *testing.T) {
	require.Empty(t, Violations(nil))

	a, b, c, d := completed(), completed(), completed(), completed()
	b.Request, b.Intended = 8, 111
	c.Request, c.Started = 9, Opt[time.Duration]{}
	d.Request, d.Intended = 7, 112
	require.Equal(t, []string{
		"sent_ns is before intended_ns: 2 of 4 rows, first request 8 (row 1)",
		"tokens without started_ns where other rows have it: 1 of 4 rows, first request 9 (row 2)",
		"request has more than one row: 1 of 4 rows, first request 7 (row 3)",
	}, Violations([]Record{a, b, c, d}))
	require.Empty(t, Violations([]Record{c}))
}
