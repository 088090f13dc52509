package admission_test

import (
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

// halfBatch takes a request while at most half the batch is in use. Base answers what it
// does not.
type halfBatch struct{ admission.Base }

func (p halfBatch) Decide(r *admission.Request, s *admission.Snapshot) admission.Decision {
	if 2*(len(s.Batch)+len(s.Queue)) >= s.MaxBatch {
		return admission.Decision{Reason: admission.OverLimit, Regime: s.Regime()}
	}
	return p.Base.Decide(r, s)
}

// A policy of one's own embeds Base and answers what it wants to.
func ExamplePolicy() {
	var policy admission.Policy = halfBatch{}
	r := &admission.Request{ID: 1, Prompt: 500, MaxTokens: 100, Deadline: 2 * time.Second}
	for running := range 4 {
		s := &admission.Snapshot{MaxBatch: 4, Batch: make([]admission.Work, running)}
		d := policy.Decide(r, s)
		fmt.Println(running, d.Regime, d.Admit, d.Reason)
	}
	// Output:
	// 0 idle true open
	// 1 partial true open
	// 2 partial false over-limit
	// 3 partial false over-limit
}
