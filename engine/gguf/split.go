package gguf

import (
	"unicode"
	"unicode/utf8"
)

// preTokenizer is llama.cpp's name of the splitting rule that splitWords follows.
// It is the simplest family that leaves spaces before punctuation alone when
// llama.cpp detokenises.
const preTokenizer = "smollm"

// splitWords cuts text into the pieces within which merges may happen, and hands
// them to yield in order. The rule is llama.cpp's "smollm": every number rune
// alone first, then within what lies between GPT-2's
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func splitWords(text string, yield func(word string)) {
	for len(text) > 0 {
		n := 0
		for n < len(text) {
			r, size := utf8.DecodeRuneInString(text[n:])
			if unicode.IsNumber(r) {
				break
			}
			n += size
		}
		splitBetweenNumbers(text[:n], yield)
		text = text[n:]
		if len(text) > 0 {
			_, size := utf8.DecodeRuneInString(text)
			yield(text[:size])
			text = text[size:]
		}
	}
}

func splitBetweenNumbers(text string, yield func(word string)) {
	for len(text) > 0 {
		n := nextWord(text)
		yield(text[:n])
		text = text[n:]
	}
}

// nextWord is the length in bytes of the first piece of non-empty text that has
// no number rune.
func nextWord(text string) int {
	if n := contraction(text); n > 0 {
		return n
	}
	lead := 0
	if text[0] == ' ' {
		lead = 1
	}
	if n := span(text[lead:], unicode.IsLetter); n > 0 {
		return lead + n
	}
	if n := span(text[lead:], isSymbol); n > 0 {
		return lead + n
	}
	n := span(text, unicode.IsSpace)
	if n == len(text) {
		return n
	}
	// A run of spaces before a word leaves its last rune to that word.
	_, last := utf8.DecodeLastRuneInString(text[:n])
	if n > last {
		return n - last
	}
	return n
}

func contraction(text string) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	switch text[1] {
	case 's', 't', 'm', 'd':
		return 2
	}
	if len(text) >= 3 {
		switch text[1:3] {
		case "re", "ve", "ll":
			return 3
		}
	}
	return 0
}

func isSymbol(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsSpace(r) }

func span(text string, in func(rune) bool) int {
	for i, r := range text {
		if !in(r) {
			return i
		}
	}
	return len(text)
}
