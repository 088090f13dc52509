package chart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
)

func labels(ticks []plot.Tick) string {
	var ls []string
	for _, t := range ticks {
		if t.Label != "" {
			ls = append(ls, t.Label)
		}
	}
	return strings.Join(ls, " ")
}

func TestLinearTicks(t *testing.T) {
	for _, c := range []struct {
		n, lo, hi float64
		want      string
	}{
		{7, 0, 4.2, "0.0 0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0"},
		{7, 0, 6.3, "0 1 2 3 4 5 6"},
		{5, 0, 0.09, "0.00 0.02 0.04 0.06 0.08"},
		{4, 0, 90, "0 20 40 60 80"},
		{4, 0, 1800, "0 500 1000 1500"},
		{5, 0, 100, "0 20 40 60 80 100"},
	} {
		require.Equal(t, c.want, labels(linearTicks{c.n}.Ticks(c.lo, c.hi)), "%v", c)
	}
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{0.15, 45, "0.2 0.5 1 2 5 10 20"},
		{0.01, 100, "0.01 0.1 1 10 100"},
		{3.2, 4.6, "3.5 4.0 4.5"},
	} {
		require.Equal(t, c.want, labels(logTicks{}.Ticks(c.lo, c.hi)), "%v", c)
	}
}

// A tick without a label beside it cannot be read, whatever the data.
func TestTicksAlwaysHaveLabels(t *testing.T) {
	for lo := 1e-4; lo < 1e3; lo *= 1.37 {
		for ratio := 1.3; ratio < 1e6; ratio *= 1.7 {
			name := fmt.Sprintf("%g to %g", lo, lo*ratio)
			log := strings.Fields(labels(logTicks{}.Ticks(lo, lo*ratio)))
			require.GreaterOrEqual(t, len(log), 2, name)
			require.LessOrEqual(t, len(log), 12, name)
			linear := strings.Fields(labels(linearTicks{5}.Ticks(0, lo*ratio)))
			require.GreaterOrEqual(t, len(linear), 3, name)
			require.LessOrEqual(t, len(linear), 10, name)
		}
	}
}
