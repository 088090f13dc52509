package policies_test

import (
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/policies"
)

// A policy is made by name, with the parameters that a ladder file gives; the others have
// their defaults. The engine then asks it about every arrival.
func ExampleNew() {
	spec := admission.Spec{Policy: "token-bucket", Params: map[string]float64{"rate": 1, "burst": 2}}
	policy, err := policies.New(spec, admission.Env{SLO: 2 * time.Second, MaxBatch: 24, StepTokens: 512})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 4 {
		now := time.Duration(i) * 400 * time.Millisecond
		d := policy.Decide(&admission.Request{ID: i, Arrived: now}, &admission.Snapshot{Now: now, MaxBatch: 24})
		fmt.Println(now, d.Admit, d.Reason)
	}
	// Output:
	// 0s true open
	// 400ms true open
	// 800ms false over-limit
	// 1.2s true open
}

// What is wrong with a specification is said before anything runs.
func ExampleCheck() {
	fmt.Println(policies.Check(admission.Spec{Policy: "aimd", Params: map[string]float64{"backoff": 2}}))
	// Output:
	// admission: backoff of aimd is 2, must be 0.5 to 0.999
}
