package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

const plantedFlagName = "planted-slowdown"

// bindPlanted makes --planted-slowdown. It is hidden, of the command line alone, and of
// no use by accident: what is measured with it is invalid.
func bindPlanted(flags *pflag.FlagSet, share *float64) {
	flags.Var((*percentage)(share), plantedFlagName, "make each engine step longer by this share, such as 10%, to prove a gate: every cell is then invalid")
	if err := flags.MarkHidden(plantedFlagName); err != nil {
		panic(err) // the line above made it
	}
}

// percentage is the value of a flag: a share above 0 and at most 1, written as 10% or 0.1.
type percentage float64

// Set implements pflag.Value.
func (p *percentage) Set(s string) error {
	number, isPercent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(number, 64)
	if isPercent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 1) {
		return fmt.Errorf("%q is not a share such as 10%% or 0.1, above 0 and at most 100%%", s)
	}
	*p = percentage(v)
	return nil
}

// String implements pflag.Value.
func (p *percentage) String() string {
	if *p == 0 {
		return ""
	}
	return strconv.FormatFloat(100*float64(*p), 'g', 6, 64) + "%"
}

// Type implements pflag.Value.
func (*percentage) Type() string { return "share" }
