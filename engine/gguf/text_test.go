package gguf_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// lexicon is a small stock of English words, the frequent ones first.
var lexicon = strings.Fields(`the of and to a in is that for it as was with be by on not he his but at are this have from
or had an they which one you were all her she there would their we him been has when who will no more if out so up said what
its about than into them can only other time new some could these two may first then do any like my now over such our man me
even most made after also did many off before must well back through years much where your way down should because long each
just state those people too mister how little good world make very year still see own work men day get here between both life
being under three never know same last another while us might great go come since against right came take used himself few
house use place during high without again home around small however found mrs part school thought went say general once upon
war left every don't does got united number hand course water until always away public something fact less though far put head
think called set almost enough end took government night yet system better four nothing told eyes city going president why
days present point didn't look find asked second group later next room social business knew program give half side face toward
white five let young form given per order large several national important rather big often things money early whether
report invoice refund customer account delivery warehouse schedule container compiler latency scheduler throughput assistant
instructions summary carefully concise explanation refuse politely question analysis evidence conclusion chapter character
mountain river harbour lantern orchestra telescope garden kitchen recipe ingredients temperature pressure velocity molecule
protein hypothesis experiment laboratory statistics regression probability contract liability tribunal insurance mortgage
interest quarterly forecast inventory shipment engineering specification tolerance maintenance turbine electricity voltage`)

// englishLike writes about n bytes of sentences over the lexicon, the frequent
// words oftener, with names, numbers, quotes and lists.
func englishLike(seed uint64, n int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	word := func() string {
		u := rng.Float64()
		return lexicon[int(u*u*float64(len(lexicon)))]
	}
	name := func() string {
		const consonants, vowels = "bcdfghklmnprstvw", "aeiou"
		var b strings.Builder
		for range 2 + rng.IntN(2) {
			b.WriteByte(consonants[rng.IntN(len(consonants))])
			b.WriteByte(vowels[rng.IntN(len(vowels))])
		}
		s := b.String()
		return strings.ToUpper(s[:1]) + s[1:]
	}
	var b strings.Builder
	for b.Len() < n {
		length := 5 + rng.IntN(16)
		for i := range length {
			w := word()
			switch r := rng.IntN(40); {
			case i == 0:
				w = strings.ToUpper(w[:1]) + w[1:]
			case r == 0:
				w = name()
			case r == 1:
				w = fmt.Sprint(rng.IntN(2000))
			case r == 2:
				w += ","
			case r == 3:
				w = `"` + w + `"`
			}
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
		b.WriteString([]string{".", ".", ".", "?", ":\n- ", ".\n\n"}[rng.IntN(6)])
		b.WriteByte(' ')
	}
	return b.String()
}
