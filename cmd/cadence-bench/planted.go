package main

import (
	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/ladder/ab"
)

const plantedFlagName = "planted-slowdown"

// bindPlanted makes --planted-slowdown. It is hidden, of the command line alone, and of
// no use by accident: what is measured with it is invalid.
func bindPlanted(flags *pflag.FlagSet, share *float64) {
	flags.Var((*ab.Share)(share), plantedFlagName, "make each engine step longer by this share, such as 10%, to prove a gate: every cell is then invalid")
	if err := flags.MarkHidden(plantedFlagName); err != nil {
		panic(err) // the line above made it
	}
}
