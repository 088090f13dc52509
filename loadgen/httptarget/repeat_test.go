package httptarget

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRepeatedChunksAreDecodedAlike: whatever came before in the stream, a chunk says
// what it says alone. The parts are drawn so that neighbours often differ in the text
// alone, and often do not.
func TestRepeatedChunksAreDecodedAlike(t *testing.T) {
	texts := []string{`a`, ` token`, ``, `é`, `\n`, `say \"text\":\"x`, "\xff", `"`, "\x01", `x","finish_reason":"stop`, `"}}],"error":{"message":"no`}
	frames := []string{
		`{"choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":null}]}`,
		`{"choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":"stop"}],"usage":{"completion_tokens":3}}`,
		`{"choices":[{"index":0,"delta":{"content":"%s","reasoning":"why"}}]}`,
		`{"choices":[{"index":1,"delta":{"content":"%s"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"%s"},"token_ids":[1,2]}]}`,
		`{"choices":[{"index":0,"text":"%s","logprobs":null}]}`,
		`{"choices":[{"index":0,"text":"%s"},{"index":0,"text":"b"}]}`,
		`{"choices":[{"index":0,"delta":{"content":"%s"}}],"other":{"text":"a"}}`,
		`{"content":"%s","stop":false,"tokens":[1]}`,
		`{"error":{"message":"%s"}}`,
		`%s[DONE]`,
	}
	r := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for _, api := range []API{Chat, Completions, Llama} {
		for range 200 {
			stream := repeat{api: api}
			frame := frames[0]
			for range 30 {
				if r.IntN(3) == 0 {
					frame = frames[r.IntN(len(frames))]
				}
				e := event{data: fmt.Appendf(nil, frame, texts[r.IntN(len(texts))])}
				if r.IntN(20) == 0 {
					e.name = "error"
				}
				before := stream.said.text
				c, over, err := stream.decode(e)
				want, wantOver, wantErr := api.decode(e)
				require.Equal(t, want, c, "%s", e.data)
				require.Equal(t, wantOver, over)
				require.Equal(t, wantErr, err)
				if before > 0 && err == nil && json.Valid(e.data) {
					hits++
				}
			}
		}
	}
	require.Greater(t, hits, 1000)
}
