package twin

import (
	"math/bits"

	"github.com/cadence-bench/cadence-bench/engine"
)

// special is how many of the lowest tokens are never given: llama's tokenizers keep
// unknown, begin and end of text there.
const special = 3

// golden is 2^64 over the golden ratio, SplitMix64's increment.
const golden = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection of which
// every output bit depends on every input bit.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// extend is the hash of a sequence that is one token longer than the one whose hash is
// h. An empty sequence's is 0.
func extend(h uint64, tok engine.Token) uint64 { return mix(h + golden*(uint64(uint32(tok))+1)) }

// next is the token after a sequence with hash h whose last token is at pos.
func next(h uint64, pos int32, how engine.Sampling, vocab int) engine.Token {
	if how.Temperature > 0 {
		h = mix(h ^ mix(how.Seed+golden*(uint64(uint32(pos))+1)))
	}
	low := 0
	if vocab > special {
		low = special
	}
	hi, _ := bits.Mul64(h, uint64(vocab-low))
	return engine.Token(low + int(hi))
}

// Solo gives the n tokens that a Backend with this vocabulary answers to a prompt at
// temperature 0. Whatever else is served, cached, preempted or cancelled beside it, a
// request's answer must begin so.
func Solo(prompt []engine.Token, n int, vocab int) []engine.Token {
	return SoloSampled(prompt, n, vocab, engine.Sampling{})
}

// SoloSampled is Solo for a request with sampling of its own.
func SoloSampled(prompt []engine.Token, n int, vocab int, how engine.Sampling) []engine.Token {
	h := uint64(0)
	for _, tok := range prompt {
		h = extend(h, tok)
	}
	out := make([]engine.Token, n)
	for i := range out {
		out[i] = next(h, int32(len(prompt)+i-1), how, vocab)
		h = extend(h, out[i])
	}
	return out
}
