package llamacpp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestChooseThreads(t *testing.T) {
	row := func(n int, many, single float64, lag time.Duration) ThreadRow {
		return ThreadRow{Threads: n, PrefillTPS: 4 * many, DecodeTPS: many, SingleTPS: single, LagP99: lag}
	}
	steady := func(r ThreadRow, spread float64) ThreadRow {
		r.Spread = spread
		return r
	}
	for name, c := range map[string]struct {
		rows []ThreadRow
		want int
	}{
		"none":                      {nil, 0},
		"faster":                    {[]ThreadRow{row(1, 100, 50, 0), row(2, 180, 90, 0)}, 2},
		"faster with many only":     {[]ThreadRow{row(1, 100, 50, 0), row(2, 140, 35, 0)}, 2},
		"faster, but starves":       {[]ThreadRow{row(1, 100, 50, 0), row(2, 180, 90, MaxLag+1)}, 1},
		"at the bound":              {[]ThreadRow{row(1, 100, 50, 0), row(2, 180, 90, MaxLag)}, 2},
		"gain below 5%":             {[]ThreadRow{row(1, 100, 50, 0), row(2, 104, 52, 0)}, 1},
		"slower with more":          {[]ThreadRow{row(1, 100, 50, 0), row(2, 190, 90, 0), row(4, 120, 60, 0)}, 2},
		"small gains add up":        {[]ThreadRow{row(1, 100, 50, 0), row(2, 104, 52, 0), row(3, 108, 54, 0)}, 2},
		"all starve":                {[]ThreadRow{row(1, 100, 50, 9*MaxLag), row(2, 180, 90, 8*MaxLag)}, 2},
		"one that measured nothing": {[]ThreadRow{row(1, 0, 0, 0), row(2, 10, 5, 0)}, 2},
		"fast and unsteady":         {[]ThreadRow{steady(row(1, 100, 50, 0), 0.076), steady(row(2, 180, 90, 0), 0.264)}, 1},
		"fast and a little less":    {[]ThreadRow{steady(row(1, 100, 50, 0), 0.03), steady(row(2, 180, 90, 0), 0.045)}, 2},
		"both steadier than a tape": {[]ThreadRow{steady(row(1, 100, 50, 0), 0.001), steady(row(2, 120, 60, 0), 0.01)}, 2},
	} {
		require.Equal(t, c.want, ChooseThreads(c.rows), name)
	}
}

func TestThreadCandidates(t *testing.T) {
	require.Equal(t, []int{1}, threadCandidates(1))
	require.Equal(t, []int{1, 2}, threadCandidates(2))
	require.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 24}, threadCandidates(24))
}

func TestQuantile(t *testing.T) {
	var d []time.Duration
	require.Zero(t, quantile(d, 99))
	for i := range 100 {
		d = append(d, time.Duration(i+1))
	}
	require.Equal(t, time.Duration(50), quantile(d, 50))
	require.Equal(t, time.Duration(99), quantile(d, 99))
	require.Equal(t, time.Duration(1), quantile(d[:1], 99))
}
