package gguf

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// naiveTrain recounts the whole corpus before every merge.
func naiveTrain(corpus string, vocab int) (pieces []string) {
	tok := newTokenizer()
	var words [][]string
	byText := map[string]int{}
	for i, p := range tok.pieces {
		byText[p] = i
	}
	splitWords(corpus, func(w string) { words = append(words, strings.Split(w, "")) })
	for i, w := range words { // Split cuts runes; cut bytes
		joined := strings.Join(w, "")
		words[i] = nil
		for j := range len(joined) {
			words[i] = append(words[i], joined[j:j+1])
		}
	}
	floor := int(tokensPerWord * float64(len(strings.Fields(corpus))))
	for len(tok.pieces) < vocab {
		total, counts := 0, map[[2]string]int{}
		for _, w := range words {
			total += len(w)
			for i := 1; i < len(w); i++ {
				counts[[2]string{w[i-1], w[i]}]++
			}
		}
		if total <= floor {
			break
		}
		var best [2]string
		n := 1
		for p, c := range counts {
			older := byText[p[0]] < byText[best[0]] || p[0] == best[0] && byText[p[1]] < byText[best[1]]
			if c > n || c == n && n > 1 && older {
				best, n = p, c
			}
		}
		if n < 2 {
			break
		}
		text := best[0] + best[1]
		if _, ok := byText[text]; !ok {
			byText[text] = len(tok.pieces)
			tok.pieces = append(tok.pieces, text)
		}
		for i, w := range words {
			var out []string
			for j := 0; j < len(w); j++ {
				if j+1 < len(w) && w[j] == best[0] && w[j+1] == best[1] {
					out = append(out, text)
					j++
				} else {
					out = append(out, w[j])
				}
			}
			words[i] = out
		}
	}
	return tok.pieces
}

func FuzzTrainBPE(f *testing.F) {
	f.Add("the cat sat on the mat, the other cat sat there; that cat's hat", uint16(40))
	f.Add("aaaaaaa aaaa aaaaaaaaaaa aa", uint16(20))
	f.Add("abcabcbcabcbcabc bcbcabc abcbc abcabc cababcab", uint16(30))
	f.Add("naïve café naïve café ááá ááá 日本 日本", uint16(50))
	f.Add("\xff\xfe\xff\xfe \xff\xfe", uint16(10))
	f.Add("", uint16(9))
	f.Fuzz(func(t *testing.T, corpus string, extra uint16) {
		if len(corpus) > 2000 {
			return
		}
		vocab := MinVocab + int(extra%200)
		tok := TrainBPE(corpus, vocab)
		require.Equal(t, naiveTrain(corpus, vocab), tok.pieces)
		require.Len(t, tok.ranks, len(tok.merges))
		require.Equal(t, corpus, tok.Decode(tok.Encode(corpus)))
	})
}
