package httptarget

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/loadgen"
)

func TestParseURL(t *testing.T) {
	for in, want := range map[string]string{
		"http://localhost:8080":        "http://localhost:8080",
		"http://localhost:8080/":       "http://localhost:8080",
		"http://localhost:8080/v1":     "http://localhost:8080",
		"http://localhost:8080/v1/":    "http://localhost:8080",
		"https://host/serve/llm/v1":    "https://host/serve/llm",
		"http://[::1]:8000/deployment": "http://[::1]:8000/deployment",
	} {
		got, err := ParseURL(in)
		require.NoError(t, err)
		require.Equal(t, want, got, in)
	}
	for in, want := range map[string]string{
		"localhost:8080":               "not the address of a server",
		"":                             "not the address of a server",
		"ftp://host":                   "not the address of a server",
		"http://":                      "not the address of a server",
		"http://a b":                   "not the address of a server",
		"http://host:port":             "not the address of a server",
		"http://me:secret@host/v1":     "CADENCE_API_KEY",
		"http://host?key=secret":       "a query or a fragment",
		"http://me:secret@ho st/v1":    "not the address of a server",
		"//me:secret@host?key=secret#": "not the address of a server",
	} {
		_, err := ParseURL(in)
		require.ErrorContains(t, err, want, in)
		require.NotContains(t, err.Error(), "secret", in)
	}
	for _, a := range []API{Chat, Completions, Llama} {
		got, err := ParseAPI(string(a))
		require.NoError(t, err)
		require.Equal(t, a, got)
	}
	_, err := ParseAPI("openai")
	require.ErrorContains(t, err, "choose chat, completions or llama")
}

// TestBodies: what each protocol is asked, to the byte.
func TestBodies(t *testing.T) {
	r := &loadgen.Request{MaxTokens: 8, StopTokens: 3, Seed: 1<<40 | 5}
	text := Prompt{System: "Be brief.", User: "Why <b>?"}
	turn := Prompt{System: "Be brief.", History: []string{"Why?", "Because.", "And then?", "Rain."}, User: "Why?"}
	ids := Prompt{System: "not sent", User: "not sent", Tokens: []int32{1, 22, 333}}
	for name, tt := range map[string]struct {
		cfg    Config
		prompt Prompt
		want   string
	}{
		"chat": {Config{API: Chat, Model: "m", Ending: Told}, text,
			`{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Why <b>?"}],"max_tokens":3,"stream":true,"stream_options":{"include_usage":true},"temperature":0,"ignore_eos":true}`},
		"chat without a system turn, by the model": {Config{API: Chat, Ending: ByModel, Temperature: 0.7}, Prompt{User: "Why?"},
			`{"messages":[{"role":"user","content":"Why?"}],"max_tokens":8,"stream":true,"stream_options":{"include_usage":true},"temperature":0.7,"seed":5}`},
		"chat with a conversation's history": {Config{API: Chat, Ending: Told}, turn,
			`{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Why?"},{"role":"assistant","content":"Because."},{"role":"user","content":"And then?"},{"role":"assistant","content":"Rain."},{"role":"user","content":"Why?"}],"max_tokens":3,"stream":true,"stream_options":{"include_usage":true},"temperature":0,"ignore_eos":true}`},
		"completions with a conversation's history": {Config{API: Completions, Ending: Told}, turn,
			`{"prompt":"Be brief.\n\nWhy?\n\nBecause.\n\nAnd then?\n\nRain.\n\nWhy?","max_tokens":3,"stream":true,"stream_options":{"include_usage":true},"temperature":0,"ignore_eos":true}`},
		"completions": {Config{API: Completions, Ending: ByLimit}, text,
			`{"prompt":"Be brief.\n\nWhy <b>?","max_tokens":8,"stream":true,"stream_options":{"include_usage":true},"temperature":0,"ignore_eos":true}`},
		"completions by tokens": {Config{API: Completions, Ending: Closed}, ids,
			`{"prompt":[1,22,333],"max_tokens":8,"stream":true,"stream_options":{"include_usage":true},"temperature":0,"ignore_eos":true}`},
		"llama by tokens": {Config{API: Llama, Ending: Told}, ids,
			`{"prompt":[1,22,333],"n_predict":3,"stream":true,"temperature":0,"ignore_eos":true,"cache_prompt":true,"return_tokens":true}`},
		"llama": {Config{API: Llama, Ending: ByModel}, Prompt{User: "Why?"},
			`{"prompt":"Why?","n_predict":8,"stream":true,"temperature":0,"cache_prompt":true,"return_tokens":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tt.cfg.body(tt.prompt, tt.cfg.limit(r), r.Seed)
			require.NoError(t, err)
			require.JSONEq(t, tt.want, string(got))
			var order json.RawMessage
			require.NoError(t, json.Unmarshal(got, &order))
		})
	}
}
