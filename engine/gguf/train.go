package gguf

import (
	"container/heap"
	"slices"
	"strings"
)

// tokensPerWord is where training stops: the corpus' tokens per
// whitespace-separated word. A workload generator has a smaller lexicon than
// English, so merging on would make every word one token; real tokenizers of
// this kind need about 1.3 tokens for a word of English prose, its punctuation
// included.
const tokensPerWord = 1.28

// TrainBPE learns a byte-level BPE vocabulary of at most vocab tokens (at least
// MinVocab) from corpus. It stops early when no pair occurs twice, or when the
// corpus takes 1.28 tokens a word. The most frequent pair merges first; among
// equals the one whose tokens are older. The result depends on nothing else.
func TrainBPE(corpus string, vocab int) *Tokenizer {
	tr := newTrainer(corpus)
	floor := int(tokensPerWord * float64(len(strings.Fields(corpus))))
	for len(tr.tok.pieces) < vocab && tr.total > floor {
		p, ok := tr.mostFrequent()
		if !ok {
			break
		}
		tr.merge(p)
	}
	return tr.tok
}

// trainer holds the corpus as distinct words, and keeps pair counts up to date
// as pairs merge.
type trainer struct {
	tok    *Tokenizer
	byText map[string]int32
	words  [][]int32
	freq   []int // occurrences of each word
	total  int   // tokens in the corpus
	counts map[pair]int
	where  map[pair][]int32 // words that have, or had, the pair
	queue  pairHeap         // counts when pushed; stale ones are skipped
}

func newTrainer(corpus string) *trainer {
	tr := &trainer{tok: newTokenizer(), byText: map[string]int32{}, counts: map[pair]int{}, where: map[pair][]int32{}}
	for id := int32(numSpecial); int(id) < len(tr.tok.pieces); id++ {
		tr.byText[tr.tok.pieces[id]] = id
	}
	index := map[string]int{}
	splitWords(corpus, func(w string) {
		i, ok := index[w]
		if !ok {
			i = len(tr.words)
			index[w] = i
			tr.words = append(tr.words, appendBytes(nil, w))
			tr.freq = append(tr.freq, 0)
		}
		tr.freq[i]++
		tr.total += len(w)
	})
	changed := map[pair]bool{}
	for i := range tr.words {
		tr.count(int32(i), +1, changed)
	}
	tr.push(changed)
	return tr
}

// count adds sign times the word's pairs to the counts.
func (tr *trainer) count(word int32, sign int, changed map[pair]bool) {
	ids := tr.words[word]
	for i := 1; i < len(ids); i++ {
		p := pair{ids[i-1], ids[i]}
		tr.counts[p] += sign * tr.freq[word]
		changed[p] = true
		if sign > 0 {
			if w := tr.where[p]; len(w) == 0 || w[len(w)-1] != word {
				tr.where[p] = append(w, word)
			}
		}
	}
}

// push queues the pairs' present counts. The heap's order is total, so the order
// of pushing does not show.
func (tr *trainer) push(changed map[pair]bool) {
	for p := range changed {
		if n := tr.counts[p]; n > 0 {
			heap.Push(&tr.queue, pairCount{p, n})
		} else {
			delete(tr.counts, p)
			delete(tr.where, p)
		}
	}
}

func (tr *trainer) mostFrequent() (pair, bool) {
	for len(tr.queue) > 0 {
		top := heap.Pop(&tr.queue).(pairCount)
		if tr.counts[top.pair] == top.n {
			return top.pair, top.n >= 2
		}
	}
	return pair{}, false
}

// merge makes p one token wherever it occurs.
func (tr *trainer) merge(p pair) {
	text := tr.tok.pieces[p.left] + tr.tok.pieces[p.right]
	// Two ways of cutting one text share a token, as vocabulary texts are unique.
	id, ok := tr.byText[text]
	if !ok {
		id = int32(len(tr.tok.pieces))
		tr.tok.pieces = append(tr.tok.pieces, text)
		tr.byText[text] = id
	}
	// A pair can come back when another cut of the same text is merged later.
	if _, known := tr.tok.ranks[p]; !known {
		tr.tok.ranks[p] = merged{rank: int32(len(tr.tok.merges)), token: id}
		tr.tok.merges = append(tr.tok.merges, p)
	}

	changed := map[pair]bool{}
	for _, word := range slices.Clone(tr.where[p]) {
		if !holds(tr.words[word], p) {
			continue // merged already: where may mention a word more than once
		}
		before := len(tr.words[word])
		tr.count(word, -1, changed)
		tr.words[word] = replace(tr.words[word], p, id)
		tr.count(word, +1, changed)
		tr.total -= (before - len(tr.words[word])) * tr.freq[word]
	}
	tr.push(changed)
}

func holds(ids []int32, p pair) bool {
	for i := 1; i < len(ids); i++ {
		if ids[i-1] == p.left && ids[i] == p.right {
			return true
		}
	}
	return false
}

// replace writes id over each occurrence of p, from the left, in place.
func replace(ids []int32, p pair, id int32) []int32 {
	out := ids[:0]
	for i := 0; i < len(ids); i++ {
		if i+1 < len(ids) && ids[i] == p.left && ids[i+1] == p.right {
			out = append(out, id)
			i++
		} else {
			out = append(out, ids[i])
		}
	}
	return out
}

type pairCount struct {
	pair
	n int
}

// pairHeap has the most frequent pair on top; the older tokens win ties.
type pairHeap []pairCount

func (h pairHeap) Len() int { return len(h) }
func (h pairHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	switch {
	case a.n != b.n:
		return a.n > b.n
	case a.left != b.left:
		return a.left < b.left
	}
	return a.right < b.right
}
func (h pairHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *pairHeap) Push(x any)   { *h = append(*h, x.(pairCount)) }
func (h *pairHeap) Pop() any {
	old := *h
	top := old[len(old)-1]
	*h = old[:len(old)-1]
	return top
}
