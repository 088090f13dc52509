package results

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// vllm PR #5895, sglang PR #36047: a TTFT of 0 stood for "not measured".
func TestOptJSON(t *testing.T) {
	type row struct {
		A Opt[float64] `json:"a"`
		B Opt[string]  `json:"b"`
		C Opt[Probe]   `json:"c"`
	}
	for _, tt := range []struct {
		json string
		row  row
	}{
		{`{"a":null,"b":null,"c":null}`, row{}},
		{`{"a":0,"b":"","c":{"prefill_tokens_per_s":0,"decode_tokens_per_s":0}}`, row{Some(0.0), Some(""), Some(Probe{})}},
		{`{"a":-1.5e-300,"b":"null","c":null}`, row{Some(-1.5e-300), Some("null"), Opt[Probe]{}}},
	} {
		data, err := json.Marshal(tt.row)
		require.NoError(t, err)
		require.Equal(t, tt.json, string(data))
		got := row{A: Some(9.0), B: Some("stale")}
		require.NoError(t, json.Unmarshal(data, &got))
		require.Equal(t, tt.row, got)
	}

	var missing row
	require.NoError(t, json.Unmarshal([]byte(`{}`), &missing))
	require.Equal(t, row{}, missing)
	require.Error(t, json.Unmarshal([]byte(`{"a":"0"}`), &missing))
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := json.Marshal(Some(v))
		require.Error(t, err)
	}
	require.Equal(t, "null 0", Opt[int]{}.String()+" "+Some(0).String())
}

func TestParseOutcome(t *testing.T) {
	for _, o := range Outcomes() {
		got, err := ParseOutcome(string(o))
		require.NoError(t, err)
		require.Equal(t, o, got)
	}
	for _, s := range []string{"", "Completed", "200", "timeout "} {
		_, err := ParseOutcome(s)
		require.ErrorContains(t, err, "want one of completed, shed, timeout, cancelled, failed")
	}
}
