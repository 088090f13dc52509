// Package ideal has servers whose waiting times queueing theory knows, that theory,
// and the comparison of the two through the real driver and its records. It proves
// the load generator against known answers, without an engine.
package ideal
