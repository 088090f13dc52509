package gguf

import (
	"slices"
	"strings"
)

// ChatPrompt writes a system and a user message as the synthetic models' chat
// template does, ready for the assistant's answer. An empty system message is left
// out. history is what was said before: a user's turn, its answer, and so on.
func ChatPrompt(system, user string, history ...string) string {
	var b strings.Builder
	turn := func(role, content string) {
		b.WriteString("<|im_start|>" + role + "\n" + content + "<|im_end|>\n")
	}
	if system != "" {
		turn("system", system)
	}
	for i, said := range history {
		turn([2]string{"user", "assistant"}[i%2], said)
	}
	turn("user", user)
	b.WriteString("<|im_start|>assistant\n")
	return b.String()
}

// EncodePrompt tokenises what ChatPrompt wrote: special tokens written out in it
// become those tokens.
func (e *Encoder) EncodePrompt(prompt string) []int32 {
	e.ids = e.ids[:0]
	for len(prompt) > 0 {
		at, id := nextSpecial(prompt)
		e.add(prompt[:at])
		if id < 0 {
			break
		}
		e.ids = append(e.ids, id)
		prompt = prompt[at+len(specialText[id]):]
	}
	return slices.Clone(e.ids)
}

// nextSpecial finds the first special token in text. It gives the text's length and
// -1 where there is none.
func nextSpecial(text string) (at int, id int32) {
	at, id = len(text), -1
	for i, s := range specialText {
		if j := strings.Index(text[:min(len(text), at+len(s))], s); j >= 0 && j < at {
			at, id = j, int32(i)
		}
	}
	return at, id
}
