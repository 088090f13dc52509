package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// plantedFlag is --planted-slowdown. It is hidden, of the command line alone, and of no
// use by accident: what is measured with it is invalid.
type plantedFlag struct{ share float64 }

const plantedFlagName = "planted-slowdown"

func (p *plantedFlag) bind(flags *pflag.FlagSet) {
	flags.Var((*percentage)(&p.share), plantedFlagName, "make each engine step longer by this share, such as 10%, to prove a gate: every cell is then invalid")
	if err := flags.MarkHidden(plantedFlagName); err != nil {
		panic(err) // the line above made it
	}
}

func (p *plantedFlag) check(f ladderFlags) error {
	switch {
	case p.share == 0:
		return nil
	case f.resume:
		return errors.New("--" + plantedFlagName + ": a run that is gone on with cannot be slowed")
	case f.twin.simulated():
		return errors.New("--" + plantedFlagName + ": it slows the real engine; drop --engine twin")
	}
	return nil
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
