package ladder

import (
	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// TracesLadder is what decisions are recorded on: the rung of the built-in ladder that
// admission is put on, with a policy that takes everything and is told everything.
func TracesLadder() (*spec.Ladder, error) {
	open := byName(Rungs(), "prefix")
	open.Name, open.Adds = "open", "every request is taken, and what a policy would have been told is kept"
	open.Admission = admission.Spec{Policy: "none"}
	return spec.Of("traces", "the engine below admission, with nothing refused", []spec.Rung{open})
}
