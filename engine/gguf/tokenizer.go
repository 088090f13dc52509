package gguf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The special tokens, which come first in every vocabulary.
const (
	tokenEndOfText = iota // BOS of the file; never added to a prompt
	tokenImStart
	tokenImEnd // EOS and EOT
	tokenPad
	numSpecial
)

var specialText = [numSpecial]string{"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|pad|>"}

// MinVocab is the smallest vocabulary: the special tokens and one token for each
// byte.
const MinVocab = numSpecial + 256

// Tokenizer is a byte-level BPE tokenizer in GPT-2's form. Ids run: special
// tokens, the 256 bytes, merged tokens. Ids from Len on are reserved.
type Tokenizer struct {
	pieces []string // bytes of each token; a special token's text
	merges []pair   // by rank
	ranks  map[pair]merged
}

// pair is two adjacent tokens.
type pair struct{ left, right int32 }

// merged is what a pair becomes and how early it was learned.
type merged struct{ rank, token int32 }

func newTokenizer() *Tokenizer {
	t := &Tokenizer{ranks: map[pair]merged{}}
	t.pieces = append(t.pieces, specialText[:]...)
	for b := range 256 {
		t.pieces = append(t.pieces, string([]byte{byte(b)}))
	}
	return t
}

// Len is the number of tokens in use: all but the reserved ones.
func (t *Tokenizer) Len() int { return len(t.pieces) }

// Encode tokenises text. Special tokens written out in text are read as plain
// text.
func (t *Tokenizer) Encode(text string) []int32 {
	var ids, word []int32
	splitWords(text, func(w string) {
		word = appendBytes(word[:0], w)
		ids = append(ids, t.mergeAll(word)...)
	})
	return ids
}

// Encoder is a Tokenizer that remembers what became of each word, which makes it some
// times faster on prose. It is for one goroutine.
type Encoder struct {
	tok   *Tokenizer
	words map[string][]int32
	ids   []int32 // room for one text
}

// NewEncoder returns an Encoder of t.
func NewEncoder(t *Tokenizer) *Encoder { return &Encoder{tok: t, words: map[string][]int32{}} }

// Encode is Tokenizer.Encode.
func (e *Encoder) Encode(text string) []int32 {
	e.ids = e.ids[:0]
	e.add(text)
	return slices.Clone(e.ids)
}

// add appends the text's tokens to e.ids.
func (e *Encoder) add(text string) {
	splitWords(text, func(w string) {
		tokens, ok := e.words[w]
		if !ok {
			w = strings.Clone(w)
			tokens = e.tok.mergeAll(appendBytes(nil, w))
			e.words[w] = tokens
		}
		e.ids = append(e.ids, tokens...)
	})
}

// Decode gives the bytes that ids stand for. Special tokens give their text,
// reserved and unknown ids give nothing.
func (t *Tokenizer) Decode(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		if id >= 0 && int(id) < len(t.pieces) {
			b.WriteString(t.pieces[id])
		}
	}
	return b.String()
}

// mergeAll applies the merges to word in place, the earliest learned first and
// from the left among equals, and returns what is left of it.
func (t *Tokenizer) mergeAll(word []int32) []int32 {
	for {
		at, best := -1, merged{}
		for i := 1; i < len(word); i++ {
			if m, ok := t.ranks[pair{word[i-1], word[i]}]; ok && (at < 0 || m.rank < best.rank) {
				at, best = i, m
			}
		}
		if at < 0 {
			return word
		}
		word[at-1] = best.token
		word = append(word[:at], word[at+1:]...)
	}
}

// printable reports whether a model may emit the token: it is text that a
// terminal can show.
func (t *Tokenizer) printable(id int32) bool {
	s := t.pieces[id]
	if id < numSpecial || !utf8.ValidString(s) {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

func appendBytes(ids []int32, s string) []int32 {
	for i := range len(s) {
		ids = append(ids, numSpecial+int32(s[i]))
	}
	return ids
}

// byteRunes is GPT-2's byte-to-unicode alphabet: printable Latin-1 stands for
// itself, the other bytes for the runes from U+0100 in order.
var byteRunes = func() (table [256]rune) {
	next := rune(0x100)
	for b := range table {
		if b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae {
			table[b] = rune(b)
		} else {
			table[b] = next
			next++
		}
	}
	return table
}()

// vocabText is a token as a GGUF vocabulary spells it.
func (t *Tokenizer) vocabText(id int32) string {
	if id < numSpecial {
		return t.pieces[id]
	}
	var b strings.Builder
	for i := range len(t.pieces[id]) {
		b.WriteRune(byteRunes[t.pieces[id][i]])
	}
	return b.String()
}

// mergeText is a merge as GGUF spells it: both halves, with a space between.
func (t *Tokenizer) mergeText(rank int) string {
	m := t.merges[rank]
	return t.vocabText(m.left) + " " + t.vocabText(m.right)
}
