// Package unit has the units of metrics and of the figures of checks.
package unit

// Unit is how a metric's number is to be read.
type Unit uint8

const (
	Count     Unit = iota
	PerSecond      // requests per second
	TokensPerS
	Seconds
	Fraction // 0 … 1
	Plain    // a number without a unit
)
