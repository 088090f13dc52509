package llamacpp

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestChooseLayout(t *testing.T) {
	streamsOn, streamsOff := Layout{Flash: FlashOn}, Layout{Flash: FlashOff}
	unifiedOn, unifiedOff := Layout{true, FlashOn}, Layout{true, FlashOff}
	row := func(l Layout, prefill, decode float64) LayoutRow {
		return LayoutRow{Layout: l, PrefillTPS: prefill, DecodeTPS: decode}
	}
	for name, c := range map[string]struct {
		rows []LayoutRow
		want Layout
	}{
		"none":                         {nil, DefaultLayout},
		"the only one":                 {[]LayoutRow{row(unifiedOff, 10, 10)}, unifiedOff},
		"the fastest":                  {[]LayoutRow{row(streamsOn, 1500, 600), row(streamsOff, 1500, 900), row(unifiedOn, 900, 400)}, streamsOff},
		"within 5% of it, the default": {[]LayoutRow{row(streamsOn, 1000, 600), row(streamsOff, 1049, 629)}, streamsOn},
		"beyond 5%":                    {[]LayoutRow{row(streamsOn, 1000, 600), row(streamsOff, 1051, 631)}, streamsOff},
		// 540/1600 + 100/500 = 0.5375 s against 540/800 + 100/1000 = 0.775 s.
		"prefill weighs by its tokens":    {[]LayoutRow{row(streamsOn, 1600, 500), row(streamsOff, 800, 1000)}, streamsOn},
		"unified may win":                 {[]LayoutRow{row(streamsOn, 1000, 400), row(unifiedOn, 1000, 900)}, unifiedOn},
		"one given up before it decoded":  {[]LayoutRow{row(streamsOff, 900, 500), row(unifiedOff, 5000, 0)}, streamsOff},
		"none measured: the order":        {[]LayoutRow{row(unifiedOff, 0, 0), row(unifiedOn, 0, 0)}, unifiedOn},
		"a tie without the default: near": {[]LayoutRow{row(unifiedOff, 1000, 600), row(unifiedOn, 990, 600)}, unifiedOn},
	} {
		require.Equal(t, c.want, ChooseLayout(c.rows), name)
		slices.Reverse(c.rows)
		require.Equal(t, c.want, ChooseLayout(c.rows), "%s, reversed", name)
	}
}

func TestRetainCells(t *testing.T) {
	cost := func(alone, beside float64, idle int) IdleCost {
		return IdleCost{Alone: time.Duration(alone * 1e9), Beside: time.Duration(beside * 1e9), Idle: idle}
	}
	for name, c := range map[string]struct {
		cost    IdleCost
		longest int
		want    int
	}{
		// 20 ms per 4000 cells is 5 µs a cell; a tenth of 50 ms is 1000 of those.
		"a tenth of the step":         {cost(0.050, 0.070, 4000), 600, 1000},
		"at least the longest prompt": {cost(0.050, 0.070, 4000), 1500, 1500},
		"cheap cells":                 {cost(0.050, 0.051, 4000), 600, 20000},
		"free: no bound":              {cost(0.050, 0.050, 4000), 600, 0},
		"faster with them: noise":     {cost(0.050, 0.049, 4000), 600, 0},
		"not measured: no bound":      {IdleCost{}, 600, 0},
	} {
		require.Equal(t, c.want, RetainCells(c.cost, c.longest), name)
	}
}
