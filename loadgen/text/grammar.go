package text

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// grammar is a context-free grammar of English sentences: each slot has its
// alternatives, each alternative is a list of parts. text/templates.txt explains
// the notation.
type grammar map[string][]template

type template []part

// part is literal text, a whole number, or a slot in one of its forms.
type part struct {
	literal string
	slot    string // empty: literal or number
	kept    bool   // drawn once for a text
	form    string // "", "s", "ed", "ing" or "a"
	lo, hi  int    // a number when hi > 0
}

// parseGrammar reads sections of words (separated by white space) and of
// templates (one a line), and checks that every slot exists.
func parseGrammar(words, templates string) (grammar, error) {
	g := grammar{}
	if err := g.read(words, strings.Fields); err != nil {
		return nil, err
	}
	if err := g.read(templates, func(line string) []string { return []string{line} }); err != nil {
		return nil, err
	}
	for slot, alternatives := range g {
		for _, t := range alternatives {
			for _, p := range t {
				if p.slot != "" && len(g[p.slot]) == 0 {
					return nil, fmt.Errorf("slot %q: no alternatives for {%s}", slot, p.slot)
				}
			}
		}
	}
	return g, nil
}

func (g grammar) read(text string, split func(line string) []string) error {
	section := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
			if len(g[section]) > 0 {
				return fmt.Errorf("line %d: section %q occurs twice", i+1, section)
			}
		default:
			for _, s := range split(line) {
				t, err := parseTemplate(s)
				if err != nil {
					return fmt.Errorf("line %d: %w", i+1, err)
				}
				g[section] = append(g[section], t)
			}
		}
	}
	return nil
}

func parseTemplate(s string) (template, error) {
	var t template
	for s != "" {
		literal, rest, found := strings.Cut(s, "{")
		if literal != "" {
			t = append(t, part{literal: strings.ReplaceAll(literal, "_", " ")})
		}
		if !found {
			break
		}
		slot, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, fmt.Errorf("%q: slot without a closing brace", rest)
		}
		p, err := parseSlot(slot)
		if err != nil {
			return nil, err
		}
		t = append(t, p)
		s = after
	}
	return t, nil
}

func parseSlot(s string) (part, error) {
	if number, ok := strings.CutPrefix(s, "#"); ok {
		from, to, _ := strings.Cut(number, "-")
		lo, err1 := strconv.Atoi(from)
		hi, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || lo < 0 || hi <= lo {
			return part{}, fmt.Errorf("{%s}: want a range such as {#2-9}", s)
		}
		return part{lo: lo, hi: hi}, nil
	}
	name, form, _ := strings.Cut(s, ":")
	name, kept := strings.CutPrefix(name, "$")
	switch form {
	case "", "s", "ed", "ing", "a":
	default:
		return part{}, fmt.Errorf("{%s}: unknown form %q", s, form)
	}
	return part{slot: name, kept: kept, form: form}, nil
}

// writer writes one text: it remembers what {$slots} drew.
type writer struct {
	g    grammar
	r    *rand.Rand
	kept map[string]string
}

func newWriter(g grammar, r *rand.Rand) *writer {
	return &writer{g: g, r: r, kept: map[string]string{}}
}

// draw expands one random alternative of slot.
func (w *writer) draw(slot string) string {
	alternatives := w.g[slot]
	return w.expand(alternatives[w.r.IntN(len(alternatives))])
}

// sentence is an expanded template that begins with a capital.
func (w *writer) sentence(t template) string {
	s := w.expand(t)
	return strings.ToUpper(s[:1]) + s[1:]
}

func (w *writer) expand(t template) string {
	if len(t) == 1 && t[0].literal != "" {
		return t[0].literal
	}
	var b strings.Builder
	for _, p := range t {
		switch {
		case p.literal != "":
			b.WriteString(p.literal)
		case p.slot == "":
			b.WriteString(strconv.Itoa(p.lo + w.r.IntN(p.hi-p.lo+1)))
		default:
			b.WriteString(inflect(w.fill(p), p.form))
		}
	}
	return b.String()
}

func (w *writer) fill(p part) string {
	if !p.kept {
		return w.draw(p.slot)
	}
	s, ok := w.kept[p.slot]
	if !ok {
		s = w.draw(p.slot)
		w.kept[p.slot] = s
	}
	return s
}

// inflect puts an English word into a form by the regular rules. The word lists
// hold only words for which these rules are right.
func inflect(word, form string) string {
	switch form {
	case "s":
		switch {
		case hasSuffix(word, "s", "x", "z", "ch", "sh"):
			return word + "es"
		case endsInConsonantY(word):
			return word[:len(word)-1] + "ies"
		}
		return word + "s"
	case "ed":
		switch {
		case strings.HasSuffix(word, "e"):
			return word + "d"
		case endsInConsonantY(word):
			return word[:len(word)-1] + "ied"
		}
		return word + "ed"
	case "ing":
		if strings.HasSuffix(word, "e") && !strings.HasSuffix(word, "ee") {
			return word[:len(word)-1] + "ing"
		}
		return word + "ing"
	case "a":
		// The sound decides; of the words in our lists only these begin with a
		// vowel letter that sounds like a consonant, or the reverse.
		vowel := strings.ContainsRune("aeiou", rune(word[0]))
		if hasPrefix(word, "uni", "use", "usu", "usa", "uten") && word != "unintended" {
			vowel = false
		}
		if hasPrefix(word, "honest", "hour") || vowel {
			return "an " + word
		}
		return "a " + word
	}
	return word
}

func endsInConsonantY(word string) bool {
	return strings.HasSuffix(word, "y") && !hasSuffix(word, "ay", "ey", "oy", "uy")
}

func hasSuffix(s string, suffixes ...string) bool {
	for _, x := range suffixes {
		if strings.HasSuffix(s, x) {
			return true
		}
	}
	return false
}

func hasPrefix(s string, prefixes ...string) bool {
	for _, x := range prefixes {
		if strings.HasPrefix(s, x) {
			return true
		}
	}
	return false
}
