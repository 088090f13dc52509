package httptarget

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/results"
)

// chunk is what one event of a stream says.
type chunk struct {
	text   int    // bytes of output text, reasoning included
	tokens int    // output tokens that it says it holds; 0 when it does not say
	finish string // why the answer ended; "" when it has not
	usage  usage
}

// usage is the server's own account of a request, as far as it gives one.
type usage struct {
	prompt, completion, cached results.Opt[int]
}

func (u *usage) merge(v usage) {
	for _, f := range []struct{ to, from *results.Opt[int] }{
		{&u.prompt, &v.prompt}, {&u.completion, &v.completion}, {&u.cached, &v.cached},
	} {
		if f.from.OK {
			*f.to = *f.from
		}
	}
}

var done = []byte("[DONE]")

// decode reads the data of an event. over tells that the protocol's last event
// has come.
func (a API) decode(e event) (c chunk, over bool, err error) {
	data := bytes.TrimSpace(e.data)
	if bytes.Equal(data, done) {
		return chunk{}, true, nil
	}
	if a == Llama {
		return decodeLlama(e.name, data)
	}
	c, err = decodeOpenAI(e.name, data)
	return c, false, err
}

// openAIChunk is a chunk of either of OpenAI's protocols, with what vLLM (token_ids,
// reasoning) and llama-server (timings) add.
type openAIChunk struct {
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Content          string            `json:"content"`
			ReasoningContent string            `json:"reasoning_content"`
			Reasoning        string            `json:"reasoning"`
			Refusal          string            `json:"refusal"`
			ToolCalls        []json.RawMessage `json:"tool_calls"`
		} `json:"delta"`
		Text     string            `json:"text"`
		Finish   string            `json:"finish_reason"`
		TokenIDs []json.RawMessage `json:"token_ids"`
		Logprobs *struct {
			Content []json.RawMessage `json:"content"`
			Tokens  []json.RawMessage `json:"tokens"`
		} `json:"logprobs"`
	} `json:"choices"`
	Usage *struct {
		Prompt     *int `json:"prompt_tokens"`
		Completion *int `json:"completion_tokens"`
		Details    *struct {
			Cached *int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Timings *timings        `json:"timings"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`
	Message string          `json:"message"`
}

// timings are llama-server's. prompt_n counts the prompt tokens that were computed
// and cache_n, in newer builds, those that were not.
type timings struct {
	CacheN  *int `json:"cache_n"`
	PromptN *int `json:"prompt_n"`
}

func decodeOpenAI(name string, data []byte) (chunk, error) {
	var in openAIChunk
	if err := parse(data, &in); err != nil {
		return chunk{}, err
	}
	if given(in.Error) || name == "error" || in.Object == "error" {
		return chunk{}, serverError(in.Error, data)
	}
	var c chunk
	for _, choice := range in.Choices {
		if choice.Index != 0 {
			continue
		}
		d := &choice.Delta
		c.text += len(choice.Text) + len(d.Content) + len(d.ReasoningContent) + len(d.Refusal)
		if d.ReasoningContent == "" { // some servers send the same text under both names
			c.text += len(d.Reasoning)
		}
		for _, call := range d.ToolCalls {
			c.text += len(call)
		}
		c.tokens = len(choice.TokenIDs)
		if lp := choice.Logprobs; lp != nil && c.tokens == 0 {
			c.tokens = max(len(lp.Content), len(lp.Tokens))
		}
		c.finish = choice.Finish
	}
	if u := in.Usage; u != nil {
		c.usage.prompt, c.usage.completion = opt(u.Prompt), opt(u.Completion)
		if u.Details != nil {
			c.usage.cached = opt(u.Details.Cached)
		}
	}
	if in.Timings != nil && !c.usage.cached.OK {
		c.usage.cached = opt(in.Timings.CacheN)
	}
	return c, nil
}

// llamaChunk is a chunk of llama-server's own protocol. tokens_evaluated is the
// length of the prompt; tokens_cached is what the slot holds at the end, not what
// was reused.
type llamaChunk struct {
	Content   string            `json:"content"`
	Tokens    []json.RawMessage `json:"tokens"`
	Stop      bool              `json:"stop"`
	StopType  string            `json:"stop_type"`
	Evaluated *int              `json:"tokens_evaluated"`
	Predicted *int              `json:"tokens_predicted"`
	Timings   *timings          `json:"timings"`
	Error     json.RawMessage   `json:"error"`
}

func decodeLlama(name string, data []byte) (c chunk, over bool, err error) {
	var in llamaChunk
	if err := parse(data, &in); err != nil {
		return chunk{}, false, err
	}
	if given(in.Error) || name == "error" {
		return chunk{}, false, serverError(in.Error, data)
	}
	c = chunk{text: len(in.Content), tokens: len(in.Tokens)}
	if !in.Stop {
		return c, false, nil
	}
	c.finish = in.StopType
	if c.finish == "" {
		c.finish = "stop"
	}
	c.usage.prompt, c.usage.completion = opt(in.Evaluated), opt(in.Predicted)
	if t := in.Timings; t != nil {
		c.usage.cached = opt(t.CacheN)
		if !c.usage.cached.OK && t.PromptN != nil && in.Evaluated != nil {
			reused := *in.Evaluated - *t.PromptN
			c.usage.cached = opt(&reused)
		}
	}
	return c, true, nil
}

func opt(n *int) results.Opt[int] {
	if n == nil || *n < 0 {
		return results.Opt[int]{}
	}
	return results.Some(*n)
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func parse(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("malformed chunk %s: %w", excerpt(data), err)
	}
	return nil
}

// serverError is what a server says went wrong in the middle of a stream.
func serverError(inner json.RawMessage, data []byte) error {
	if given(inner) {
		data = inner
	}
	return errors.New("the server says: " + complaint(data))
}

// complaint is the human part of an error in one of the shapes that servers use,
// or the beginning of what there is.
func complaint(body []byte) string {
	var e struct {
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Error   json.RawMessage `json:"error"`
	}
	var text string
	switch {
	case json.Unmarshal(body, &text) == nil:
		return excerpt([]byte(text))
	case json.Unmarshal(body, &e) != nil:
	case e.Message != "":
		return excerpt([]byte(e.Message))
	case given(e.Error):
		return complaint(e.Error)
	case given(e.Detail):
		return complaint(e.Detail)
	}
	return excerpt(body)
}

// excerpt is the beginning of a text on one line.
func excerpt(b []byte) string {
	const limit = 160
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(b[:min(len(b), 4*limit)]), "?")), " ")
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
