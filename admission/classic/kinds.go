// Package classic has the admission policies of the literature and of production servers,
// each with its authors' constants and in a file of its own: fixed caps and rates,
// concurrency limits that adapt (AIMD, Gradient2, Vegas), and shedders (Envoy, CoDel,
// DAGOR, Breakwater, Bouncer). They are what conformal admission is compared with. None
// has a model of the engine.
package classic

import (
	"github.com/cadence-bench/cadence-bench/admission"
)

// Kinds returns the policies, in the order of the documentation.
func Kinds() []admission.Kind {
	return []admission.Kind{
		deadlineDropKind, inFlightCapKind, queuedTokensCapKind, tokenBucketKind, aimdKind, gradient2Kind, vegasKind,
		envoyKind, codelKind, dagorKind, breakwaterKind, bouncerKind,
	}
}
