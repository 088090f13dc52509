package llamacpp

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/hybridgroup/yzma/pkg/llama"
	"github.com/jupiterrider/ffi"
)

// Tokenize gives the tokens of a text. Bytes that are not UTF-8 are taken as the
// replacement character, because llama.cpp ends the process on some. With special,
// control tokens written out in it (<|im_start|>) become those tokens and the
// model's own begin token is added where it asks for one: that is for prompts
// from Chat. Without, the text is plain.
func (m *Model) Tokenize(text string, special bool) ([]engine.Token, error) {
	if len(text) > math.MaxInt32/2 {
		return nil, fmt.Errorf("tokenise: %d bytes are more than llama.cpp takes at once", len(text))
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	// A token is at least one byte, but for the begin and end tokens.
	tokens := make([]engine.Token, len(text)+2)
	n := m.tokenize(text, tokens, special)
	if n < 0 {
		if n == math.MinInt32 {
			return nil, fmt.Errorf("tokenise: %d bytes give more tokens than llama.cpp counts", len(text))
		}
		tokens = make([]engine.Token, -n)
		n = m.tokenize(text, tokens, special)
	}
	if n < 0 {
		return nil, fmt.Errorf("tokenise: llama.cpp refused a text of %d bytes (code %d)", len(text), n)
	}
	return slices.Clip(tokens[:n]), nil
}

func (m *Model) tokenize(text string, out []engine.Token, special bool) int32 {
	p, q := unsafe.StringData(text), unsafe.SliceData(out)
	if text == "" {
		p = new(byte)
	}
	size, room := int32(len(text)), int32(len(out))
	flag := cBool(special)
	var ret ffi.Arg
	m.native.tokenize.Call(&ret, &m.vocab, &p, &size, &q, &room, &flag, &flag)
	return int32(ret)
}

// Detokenize gives the text of tokens. Control tokens are written out, and an
// index outside the vocabulary is the replacement character.
func (m *Model) Detokenize(tokens []engine.Token) string {
	if len(tokens) == 0 {
		return ""
	}
	var b strings.Builder
	for len(tokens) > 0 {
		n := slices.IndexFunc(tokens, func(t engine.Token) bool { return t < 0 || int(t) >= m.info.Vocab })
		if n < 0 {
			n = len(tokens)
		}
		b.WriteString(m.detokenize(tokens[:n]))
		if tokens = tokens[n:]; len(tokens) > 0 {
			b.WriteString("\uFFFD")
			tokens = tokens[1:]
		}
	}
	return b.String()
}

func (m *Model) detokenize(tokens []engine.Token) string {
	if len(tokens) == 0 {
		return ""
	}
	buf := make([]byte, 8*len(tokens)+16)
	n := m.pieces(tokens, buf)
	if n < 0 {
		buf = make([]byte, -n)
		n = m.pieces(tokens, buf)
	}
	return string(buf[:max(n, 0)])
}

func (m *Model) pieces(tokens []engine.Token, out []byte) int32 {
	p, q := unsafe.SliceData(tokens), unsafe.SliceData(out)
	size, room := int32(len(tokens)), int32(len(out))
	keep, write := cBool(false), cBool(true)
	var ret ffi.Arg
	m.native.detokenize.Call(&ret, &m.vocab, &p, &size, &q, &room, &keep, &write)
	return int32(ret)
}

func cBool(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// Chat writes a system and a user message as a prompt with the model's own
// template, ready for the assistant's answer. A model with no template, or with
// one that llama.cpp does not know, gets the plain form: the messages, each
// ended by a blank line. An empty system message is left out. history is what was
// said before: a user's turn, its answer, and so on.
func (m *Model) Chat(system, user string, history ...string) string {
	turns := append(slices.Clone(history), user)
	if m.chat != "" {
		if s, ok := applyTemplate(m.chat, system, turns); ok {
			return s
		}
	}
	if system != "" {
		system += "\n\n"
	}
	return system + strings.Join(turns, "\n\n") + "\n\n"
}

// applyTemplate reports false for what llama.cpp cannot do: a template that it
// does not know, or a NUL byte, which ends its strings.
func applyTemplate(template, system string, turns []string) (string, bool) {
	if strings.ContainsRune(system+strings.Join(turns, "")+template, 0) {
		return "", false
	}
	var msgs []llama.ChatMessage
	if system != "" {
		msgs = append(msgs, llama.NewChatMessage("system", system))
	}
	size := len(system) + 512
	for i, turn := range turns {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		msgs = append(msgs, llama.NewChatMessage(role, turn))
		size += len(turn) + 64
	}
	buf := make([]byte, size)
	n := llama.ChatApplyTemplate(template, msgs, true, buf)
	if int(n) > len(buf) {
		buf = make([]byte, n)
		n = llama.ChatApplyTemplate(template, msgs, true, buf)
	}
	if n <= 0 || int(n) > len(buf) {
		return "", false
	}
	return string(buf[:n]), true
}
