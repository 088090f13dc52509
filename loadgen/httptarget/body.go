package httptarget

import (
	"encoding/json"
	"strings"

	"github.com/cadence-bench/cadence-bench/loadgen"
)

// Prompt is what a request says: its turns, or their token ids.
type Prompt struct {
	System  string
	History []string // a user's turn, its answer, the next user's turn, and so on
	User    string
	Tokens  []int32 // nil sends the text
}

// text is the prompt of an API without turns: the turns with a blank line between.
func (p Prompt) text() any {
	if p.Tokens != nil {
		return p.Tokens
	}
	var turns []string
	for _, m := range p.messages() {
		turns = append(turns, m.Content)
	}
	return strings.Join(turns, "\n\n")
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func (p Prompt) messages() []message {
	var all []message
	if p.System != "" {
		all = append(all, message{"system", p.System})
	}
	for i, turn := range p.History {
		all = append(all, message{[]string{"user", "assistant"}[i%2], turn})
	}
	return append(all, message{"user", p.User})
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// payload is the body of a request, of any of the protocols.
type payload struct {
	Model         string         `json:"model,omitempty"`
	Messages      []message      `json:"messages,omitempty"`
	Prompt        any            `json:"prompt,omitempty"`
	MaxTokens     *int           `json:"max_tokens,omitempty"`
	NPredict      *int           `json:"n_predict,omitempty"`
	Stream        bool           `json:"stream"`
	StreamOptions *streamOptions `json:"stream_options,omitempty"`
	Temperature   float64        `json:"temperature"`
	Seed          *uint64        `json:"seed,omitempty"`
	IgnoreEOS     bool           `json:"ignore_eos,omitempty"`
	CachePrompt   bool           `json:"cache_prompt,omitempty"`
	ReturnTokens  bool           `json:"return_tokens,omitempty"`
}

// limit is how many tokens the server is asked for.
func (c *Config) limit(r *loadgen.Request) int {
	if c.Ending == Told {
		return r.StopTokens
	}
	return r.MaxTokens
}

// body renders a request. Seeds are cut to the 31 bits that every server takes.
func (c *Config) body(p Prompt, limit int, seed uint64) ([]byte, error) {
	b := payload{Model: c.Model, Stream: true, Temperature: c.Temperature, IgnoreEOS: c.Ending != ByModel}
	if c.Temperature > 0 {
		seed &= 1<<31 - 1
		b.Seed = &seed
	}
	switch c.API {
	case Llama:
		b.Prompt, b.NPredict, b.CachePrompt, b.ReturnTokens = p.text(), &limit, true, true
		return json.Marshal(b)
	case Completions:
		b.Prompt = p.text()
	default:
		b.Messages = p.messages()
	}
	b.MaxTokens, b.StreamOptions = &limit, &streamOptions{IncludeUsage: true}
	return json.Marshal(b)
}
