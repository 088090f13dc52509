package predict

import (
	"github.com/cadence-bench/cadence-bench/admission"
)

// features are the numbers that a predictor without a model of the engine looks at:
// those of the request, and scalars of the engine. The names are what a report of
// their importance prints.
var features = []struct {
	name string
	// monotone is +1 where more is more work, and so never faster, and -1 where it is
	// less. What goes up both with the load and with how far it is done is free.
	monotone int8
	of       func(r *admission.Request, s *admission.Snapshot) float64
}{
	{"queued requests", 1, func(_ *admission.Request, s *admission.Snapshot) float64 { return float64(len(s.Queue)) }},
	{"queued prompt tokens", 1, func(_ *admission.Request, s *admission.Snapshot) float64 { return sum(s.Queue, prefill) }},
	{"queued answer limits", 1, func(_ *admission.Request, s *admission.Snapshot) float64 { return sum(s.Queue, (*admission.Work).Left) }},
	{"running requests", 1, func(_ *admission.Request, s *admission.Snapshot) float64 { return float64(len(s.Batch)) }},
	{"running prompt tokens", 1, func(_ *admission.Request, s *admission.Snapshot) float64 { return sum(s.Batch, prefill) }},
	{"running answer limits", 1, func(_ *admission.Request, s *admission.Snapshot) float64 { return sum(s.Batch, (*admission.Work).Left) }},
	{"running tokens given", 0, func(_ *admission.Request, s *admission.Snapshot) float64 { return sum(s.Batch, output) }},
	{"running context", 0, func(_ *admission.Request, s *admission.Snapshot) float64 { return sum(s.Batch, context) }},
	{"free KV share", -1, func(_ *admission.Request, s *admission.Snapshot) float64 { return s.FreeKV }},
	{"step time", 1, func(_ *admission.Request, s *admission.Snapshot) float64 { return s.StepTime.Seconds() }},
	{"token rate", 0, func(_ *admission.Request, s *admission.Snapshot) float64 { return s.TokenRate }},
	{"prompt tokens", 0, func(r *admission.Request, _ *admission.Snapshot) float64 { return float64(r.Prompt) }},
	{"cached tokens", 0, func(r *admission.Request, _ *admission.Snapshot) float64 { return float64(r.Cached) }},
	{"fresh tokens", 1, func(r *admission.Request, _ *admission.Snapshot) float64 { return float64(r.Fresh()) }},
	{"answer limit", 1, func(r *admission.Request, _ *admission.Snapshot) float64 { return float64(r.MaxTokens) }},
}

// NumFeatures is how many features there are.
const NumFeatures = 15

// FeatureNames names the features of FeaturesOf, in order.
func FeatureNames() []string {
	var names []string
	for _, f := range features {
		names = append(names, f.name)
	}
	return names
}

// FeatureConstraints says of each feature whether a latency may never fall with it
// (+1), never rise (-1), or is free (0).
func FeatureConstraints() []int8 {
	var all []int8
	for _, f := range features {
		all = append(all, f.monotone)
	}
	return all
}

// FeaturesOf writes the features of a request in an engine into row, which has room for
// NumFeatures.
func FeaturesOf(r *admission.Request, s *admission.Snapshot, row []float64) {
	for i := range features {
		row[i] = features[i].of(r, s)
	}
}

// sum adds up a number of each request.
func sum(all []admission.Work, of func(*admission.Work) int) float64 {
	n := 0
	for i := range all {
		n += of(&all[i])
	}
	return float64(n)
}

func prefill(w *admission.Work) int { return w.Prefill }
func output(w *admission.Work) int  { return w.Output }
func context(w *admission.Work) int { return w.Context }
