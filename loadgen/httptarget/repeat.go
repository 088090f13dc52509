package httptarget

import (
	"bytes"
	"unicode/utf8"
)

// repeat decodes the chunks of one stream. Those of OpenAI's protocols mostly differ
// from the one before in the text alone, and reading the JSON of each was the largest
// part of what a token cost the client.
type repeat struct {
	api API

	// What surrounds the text in the chunk that was last decoded whole, and what it
	// said beside the text; empty when it has no such form.
	before, after []byte
	said          chunk
}

// textKeys are how a chunk's text is introduced. Within a JSON string their quotes
// would be escaped, so where one stands, a value of that key begins.
var textKeys = [][]byte{[]byte(`"delta":{"content":"`), []byte(`"text":"`)}

// decode is API.decode.
func (r *repeat) decode(e event) (c chunk, over bool, err error) {
	if e.name == "" && r.said.text > 0 && len(e.data) >= len(r.before)+len(r.after) &&
		bytes.HasPrefix(e.data, r.before) && bytes.HasSuffix(e.data, r.after) {
		if text := e.data[len(r.before) : len(e.data)-len(r.after)]; plain(text) {
			c = r.said
			c.text = len(text)
			return c, false, nil
		}
	}
	c, over, err = r.api.decode(e)
	r.said = chunk{}
	if err == nil && !over && r.api != Llama && e.name == "" {
		r.learn(e.data, c)
	}
	return c, over, err
}

// learn keeps the surroundings of a chunk's text, if all of its text is in one place.
func (r *repeat) learn(data []byte, c chunk) {
	for _, key := range textKeys {
		at := bytes.Index(data, key) + len(key)
		if bytes.Count(data, key) != 1 {
			continue
		}
		n := bytes.IndexByte(data[at:], '"')
		if n > 0 && n == c.text && plain(data[at:at+n]) {
			r.before, r.after = append(r.before[:0], data[:at]...), append(r.after[:0], data[at+n:]...)
			r.said = c
			return
		}
	}
}

// plain says whether a JSON string has these bytes for these very bytes.
func plain(text []byte) bool {
	for _, b := range text {
		if b < ' ' || b == '"' || b == '\\' {
			return false
		}
	}
	return utf8.Valid(text)
}
