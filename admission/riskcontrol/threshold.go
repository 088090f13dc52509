package riskcontrol

import (
	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/conformal"
)

// thresholdOf is where θ of an account stands, with the threshold that is in force.
func thresholdOf(l *conformal.Risk, inForce float64) admission.Threshold {
	t := admission.Threshold{Theta: l.Threshold(), InForce: inForce, At: admission.Interior}
	switch {
	case l.Theta <= l.Min:
		t.At = admission.AtLeast
	case l.Theta >= l.Max:
		t.At = admission.AtMost
	}
	return t
}

// note notes what turned a request away, if it was: the terms of its decision are put to
// it one after another, each on top of those before, and the first with which it does
// not pass is it. Requests that are open and expected in time may lower the threshold below
// θ. least is the lower limit of θ.
func note(t *admission.Threshold, refused bool, least, chance, harm, cost float64) {
	if !refused {
		return
	}
	bar := level(min(t.Theta, t.InForce))
	switch {
	case chance < level(least):
		t.RefusedBy = admission.ByLeast
	case chance < bar:
		t.RefusedBy = admission.ByTheta
	case chance-harm < bar:
		t.RefusedBy = admission.ByHarm
	case chance-harm < level(t.InForce):
		t.RefusedBy = admission.ByBrake
	case chance-harm-cost < level(t.InForce):
		t.RefusedBy = admission.ByPrice
	default:
		t.RefusedBy = admission.ByHysteresis
	}
}
