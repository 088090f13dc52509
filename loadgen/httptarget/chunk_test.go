package httptarget

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

func TestDecode(t *testing.T) {
	some := results.Some[int]
	for name, tt := range map[string]struct {
		api  API
		data string
		want chunk
		over bool
	}{
		"role only (vllm#3759)":      {Chat, `{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}`, chunk{}, false},
		"role with null content":     {Chat, `{"choices":[{"delta":{"role":"assistant","content":null,"tool_calls":null}}]}`, chunk{}, false},
		"content":                    {Chat, `{"choices":[{"index":0,"delta":{"content":" hello"}}]}`, chunk{text: 6}, false},
		"reasoning (vLLM, DeepSeek)": {Chat, `{"choices":[{"delta":{"reasoning_content":"hm"}}]}`, chunk{text: 2}, false},
		"reasoning (newer vLLM)":     {Chat, `{"choices":[{"delta":{"reasoning":"hmm"}}]}`, chunk{text: 3}, false},
		"reasoning under both names": {Chat, `{"choices":[{"delta":{"reasoning":"hm","reasoning_content":"hm"}}]}`, chunk{text: 2}, false},
		"tool call":                  {Chat, `{"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}`, chunk{text: 11}, false},
		"refusal":                    {Chat, `{"choices":[{"delta":{"refusal":"no"}}]}`, chunk{text: 2}, false},
		"another choice":             {Chat, `{"choices":[{"index":1,"delta":{"content":"x"}}]}`, chunk{}, false},
		"finish":                     {Chat, `{"choices":[{"delta":{},"finish_reason":"length"}]}`, chunk{finish: "length"}, false},
		"token ids":                  {Chat, `{"choices":[{"delta":{"content":"ab"},"token_ids":[5,6,7]}]}`, chunk{text: 2, tokens: 3}, false},
		"a token without text":       {Chat, `{"choices":[{"delta":{"content":""},"token_ids":[5]}]}`, chunk{tokens: 1}, false},
		"logprobs":                   {Chat, `{"choices":[{"delta":{"content":"ab"},"logprobs":{"content":[{},{}]}}]}`, chunk{text: 2, tokens: 2}, false},
		"usage":                      {Chat, `{"choices":[],"usage":{"prompt_tokens":540,"completion_tokens":69,"prompt_tokens_details":{"cached_tokens":512}}}`, chunk{usage: usage{some(540), some(69), some(512)}}, false},
		"usage without details":      {Chat, `{"choices":[],"usage":{"prompt_tokens":540,"completion_tokens":69,"prompt_tokens_details":null}}`, chunk{usage: usage{prompt: some(540), completion: some(69)}}, false},
		"usage that counts nothing":  {Chat, `{"choices":[],"usage":{"prompt_tokens":-1}}`, chunk{}, false},
		"llama-server's timings":     {Chat, `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2},"timings":{"cache_n":4,"prompt_n":5}}`, chunk{usage: usage{some(9), some(2), some(4)}}, false},
		"the end":                    {Chat, ` [DONE]`, chunk{}, true},
		"completions":                {Completions, `{"choices":[{"text":" a","index":0,"logprobs":null,"finish_reason":"stop"}]}`, chunk{text: 2, finish: "stop"}, false},
		"completions logprobs":       {Completions, `{"choices":[{"text":" ab","logprobs":{"tokens":[" a","b"]}}]}`, chunk{text: 3, tokens: 2}, false},
		"llama":                      {Llama, `{"index":0,"content":" a","tokens":[264],"stop":false,"id_slot":-1,"tokens_predicted":1,"tokens_evaluated":9}`, chunk{text: 2, tokens: 1}, false},
		"llama without ids":          {Llama, `{"content":" a","stop":false}`, chunk{text: 2}, false},
		"llama's end": {Llama, `{"content":"","tokens":[],"stop":true,"stop_type":"limit","tokens_predicted":3,"tokens_evaluated":9,"tokens_cached":11,"timings":{"prompt_n":2,"predicted_n":3}}`,
			chunk{finish: "limit", usage: usage{some(9), some(3), some(7)}}, true},
		"llama's end, newer": {Llama, `{"content":"","stop":true,"tokens_predicted":3,"tokens_evaluated":9,"timings":{"cache_n":6,"prompt_n":2}}`,
			chunk{finish: "stop", usage: usage{some(9), some(3), some(6)}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c, over, err := tt.api.decode(event{data: []byte(tt.data)})
			require.NoError(t, err)
			require.Equal(t, tt.want, c)
			require.Equal(t, tt.over, over)
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		api  API
		data string
		want string
	}{
		{"", Chat, `{"choices":[{"delta":{"content":"a"}}`, "malformed chunk"},
		{"", Chat, `oops`, "malformed chunk oops"},
		{"", Chat, `[]`, "malformed chunk"},
		{"", Chat, `{"choices":[{"delta":{"content":7}}]}`, "malformed chunk"},
		{"", Chat, `{"error":{"message":"out of memory","code":500}}`, "the server says: out of memory"},
		{"", Chat, `{"error":"gone"}`, "the server says: gone"},
		{"", Chat, `{"object":"error","message":"engine dead"}`, "the server says: engine dead"},
		{"error", Chat, `{"detail":"late"}`, "the server says: late"},
		{"error", Llama, `{"message":"no slot"}`, "the server says: no slot"},
		{"", Llama, `{"error":{"code":400,"message":"too long"}}`, "the server says: too long"},
		{"", Llama, `{`, "malformed chunk {"},
	} {
		_, _, err := tt.api.decode(event{tt.name, []byte(tt.data)})
		require.ErrorContains(t, err, tt.want, tt.data)
	}
}

// FuzzDecode: whatever a server sends is a chunk or an error of one short line.
func FuzzDecode(f *testing.F) {
	f.Add(`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1}}`, "")
	f.Add(`{"error":{"error":{"message":"x"}}}`, "error")
	f.Fuzz(func(t *testing.T, data, name string) {
		for _, a := range []API{Chat, Completions, Llama} {
			c, _, err := a.decode(event{name, []byte(data)})
			if err != nil {
				require.Less(t, len([]rune(err.Error())), 600)
				require.NotContains(t, err.Error(), "\n")
			}
			require.GreaterOrEqual(t, c.tokens, 0)
			for _, n := range []results.Opt[int]{c.usage.prompt, c.usage.completion} {
				require.GreaterOrEqual(t, n.V, 0)
			}
		}
	})
}
