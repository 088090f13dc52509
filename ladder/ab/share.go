package ab

import (
	"fmt"
	"strconv"
	"strings"
)

// Share is the value of a flag: a part above 0 and at most 1, written as 10% or 0.1.
type Share float64

// Set implements pflag.Value.
func (p *Share) Set(s string) error {
	number, isPercent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(number, 64)
	if isPercent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 1) {
		return fmt.Errorf("%q is not a share such as 10%% or 0.1, above 0 and at most 100%%", s)
	}
	*p = Share(v)
	return nil
}

// String implements pflag.Value.
func (p *Share) String() string {
	if *p == 0 {
		return ""
	}
	return strconv.FormatFloat(100*float64(*p), 'g', 6, 64) + "%"
}

// Type implements pflag.Value.
func (*Share) Type() string { return "share" }
