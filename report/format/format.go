// Package format writes numbers for readers, the same way in tables, charts and texts.
package format

import (
	"math"
	"strconv"
	"strings"
)

// Sig3 formats a number with three significant digits and no exponent.
func Sig3(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	decimals := max(0, 2-int(math.Floor(math.Log10(math.Abs(rounded)))))
	return strconv.FormatFloat(rounded, 'f', decimals, 64)
}

// Short is Sig3 without trailing zeros, for labels and bounds.
func Short(v float64) string {
	s := Sig3(v)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
