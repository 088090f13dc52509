package machine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
)

func TestParseLayouts(t *testing.T) {
	on, off := llamacpp.FlashOn, llamacpp.FlashOff
	for name, c := range map[string]struct {
		kv, flash string
		canonical bool
		want      []llamacpp.Layout
	}{
		"all open":                 {"auto", "auto", false, llamacpp.Layouts()},
		"layout given":             {"unified", "auto", false, []llamacpp.Layout{{Unified: true, Flash: on}, {Unified: true, Flash: off}}},
		"attention given":          {"auto", "off", false, []llamacpp.Layout{{Flash: off}, {Unified: true, Flash: off}}},
		"both given":               {"unified", "off", false, []llamacpp.Layout{{Unified: true, Flash: off}}},
		"canonical":                {"auto", "auto", true, []llamacpp.Layout{llamacpp.DefaultLayout}},
		"canonical, attention off": {"auto", "off", true, []llamacpp.Layout{{Flash: off}}},
		"canonical, streams":       {"streams", "auto", true, []llamacpp.Layout{llamacpp.DefaultLayout}},
	} {
		got, err := parseLayouts(c.kv, c.flash, c.canonical)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got.candidates, name)
		require.Equal(t, c.kv == auto, got.autoKV, name)
		require.Equal(t, c.flash == auto, got.autoFlash, name)
	}
}

// TestWhyLayoutSaysWhatWasMeasured: rows that were given up have no figure that they
// did not get.
func TestWhyLayoutSaysWhatWasMeasured(t *testing.T) {
	rows := []llamacpp.LayoutRow{
		{Layout: llamacpp.Layout{Flash: llamacpp.FlashOn}, Prompt: 512, PrefillTPS: 1500, DecodeTPS: 800},
		{Layout: llamacpp.Layout{Unified: true, Flash: llamacpp.FlashOn}, Prompt: 512, PrefillTPS: 600, DecodeTPS: 400, GivenUp: "given up after one round"},
		{Layout: llamacpp.Layout{Unified: true, Flash: llamacpp.FlashOff}, Prompt: 512, PrefillTPS: 200, GivenUp: "given up after 64 tokens of a prompt"},
		{Layout: llamacpp.Layout{Flash: llamacpp.FlashOff}, GivenUp: "no memory"},
	}
	require.Equal(t, "the least engine time for a request of 540 prompt and 100 output tokens in a full batch of 24 with prompts of 512; of those within 5% the first; "+
		"streams/flash on: prefill 1500, decode 800 tokens/s, 0.485 s a request; "+
		"unified/flash on: prefill 600, decode 400 tokens/s, 1.150 s a request, given up after one round; "+
		"unified/flash off: prefill 200 tokens/s, given up after 64 tokens of a prompt; "+
		"streams/flash off: no memory", whyLayout(rows))
}
