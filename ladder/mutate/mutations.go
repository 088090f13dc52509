package mutate

import (
	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/faulty"
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	kvfaulty "github.com/cadence-bench/cadence-bench/kv/faulty"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// wholePrompt is more rows than a prompt of the gate's workload has.
const wholePrompt = 1024

// Mutations returns the mistakes that `cadence-bench gate --prove` makes. The metrics of
// Catch are those that each is known to move, and together all that the gate budgets.
func Mutations() []Mutation {
	return []Mutation{
		{
			Name: "batch-of-one", Mistake: "requests run one at a time",
			Where: func(s *spec.Settings) bool { return open(s) && s.Policy.Refill },
			Make:  func(s *spec.Settings) { s.Policy.MaxBatch = 1 },
			Catch: []string{gate.TTFTP99, gate.Steps},
		},
		{
			Name: "prefix-cache-off", Mistake: "no cached prefix is found",
			Where: func(s *spec.Settings) bool { return open(s) && s.Cache.Prefix },
			Make: func(s *spec.Settings) {
				s.Cache.Prefix, s.Policy.LatePublish = false, false
				s.Policy.ShareWait, s.Own.ShareWait = 0, true
			},
			Catch: []string{gate.E2EP99, gate.Goodput},
		},
		{
			Name: "chunking-off", Mistake: "prompts are computed whole, and nothing decodes meanwhile",
			Where: func(s *spec.Settings) bool { return open(s) && s.Policy.DecodeFirst && !s.Cache.Paged },
			Make:  func(s *spec.Settings) { s.Policy.DecodeFirst, s.Policy.StepTokens = false, wholePrompt },
			Catch: []string{gate.ITLP99},
		},
		{
			Name: "steps-split", Mistake: "prompts in chunks go first and alone, not beside decoding rows",
			Where: func(s *spec.Settings) bool { return open(s) && s.Policy.DecodeFirst && !s.Cache.Paged },
			Make:  func(s *spec.Settings) { s.Policy.DecodeFirst = false },
			Catch: []string{gate.Steps},
		},
		{
			Name: "admission-off", Mistake: "every request is taken",
			Where: conformal,
			Make:  func(s *spec.Settings) { s.Admission.Policy, s.Admission.Params = "", nil },
			Catch: []string{gate.E2EP99, gate.TTFTP99, gate.Goodput},
		},
		{
			Name: "eviction-reversed", Mistake: "what was used last is evicted first",
			Where: func(s *spec.Settings) bool { return open(s) && s.Cache.Prefix && !s.Policy.LatePublish },
			Make:  func(s *spec.Settings) { s.Cache.Wrap = kvfaulty.ReverseEviction },
			Catch: []string{gate.HitRate, gate.Evicted},
		},
		{
			Name: "block-leak", Mistake: "each request leaks a KV block",
			Where: func(s *spec.Settings) bool { return open(s) && s.Cache.Prefix },
			Make:  func(s *spec.Settings) { s.Cache.Wrap = kvfaulty.Leak(1) },
			Catch: []string{gate.HitRate, gate.Evicted},
		},
		{
			Name: "bound-optimistic", Mistake: "the bound is 30% too low, after calibration; risk control goes on",
			Where: conformal,
			Make:  func(s *spec.Settings) { s.Admission.Wrap = faulty.ShortBound(0.3) },
			Catch: []string{gate.E2EP99},
		},
		{
			Name: "promise-broken", Mistake: "the bound is 40% too low, and risk control hears of no late answer",
			Where: conformal,
			Make: func(s *spec.Settings) {
				short := faulty.ShortBound(0.4)
				s.Admission.Wrap = func(p admission.Policy) admission.Policy { return faulty.NoLateLabels(short(p)) }
			},
			Catch: []string{gate.Violations},
		},
		{
			Name: "over-promise", Mistake: "no room is kept for output, so requests are preempted",
			Where: func(s *spec.Settings) bool { return open(s) && s.Cache.Prefix && s.Cache.Optimism == 0 },
			Make:  func(s *spec.Settings) { s.Cache.Optimism = 1 },
			Catch: []string{gate.Recomputed},
		},
		{
			Name: "early-publish", Mistake: "prefixes are copied out before their request ends",
			Where: func(s *spec.Settings) bool { return open(s) && s.Policy.LatePublish },
			Make:  func(s *spec.Settings) { s.Policy.LatePublish = false },
			Catch: []string{gate.Copies},
		},
		{
			Name: "garbage", Mistake: "each step allocates one object more",
			Where: func(s *spec.Settings) bool { return open(s) && s.Cache.Prefix },
			Make:  func(s *spec.Settings) { s.Cache.Wrap = kvfaulty.Garbage(1) },
			Catch: []string{gate.Allocs},
		},
	}
}

// open says that a rung takes every request.
func open(s *spec.Settings) bool { return !s.Admits() }

func conformal(s *spec.Settings) bool { return s.Admission.Policy == "conformal" }
