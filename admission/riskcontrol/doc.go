// Package riskcontrol has conformal admission under risk control. Its policy takes a request
// iff the bound on its latency fits its SLO. Calibration learns how far predictions are
// off, so that the bound is conformal; risk control moves the level of the bound, so
// that of the requests taken no more than a share alpha is late.
//
// Static is its predecessor: a bound that was calibrated once, without control.
package riskcontrol
