// Package cpuprofile reads CPU profiles in the form that runtime/pprof writes, folds them
// into stacks, and says which component of the engine each stack belongs to.
package cpuprofile
