// Package text writes what requests say: four system prompts that requests share, prompts
// and turns that a grammar makes up from a seed, prose of about so many tokens, and the
// corpus on which a synthetic model's tokenizer is trained.
package text

import (
	_ "embed"
	"math/rand/v2"
	"strings"
	"sync"
)

var (
	//go:embed support.txt
	supportPrompt string
	//go:embed review.txt
	reviewPrompt string
	//go:embed intake.txt
	intakePrompt string
	//go:embed travel.txt
	travelPrompt string
	//go:embed words.txt
	wordLists string
	//go:embed templates.txt
	sentenceTemplates string
)

// System is a system prompt that many requests have in common, and the
// slot of the user turns that go with it.
type System struct {
	System, Turns string
}

// Shared are the four shared prompts, in the order of Request.Group.
func Shared() [4]System {
	return [4]System{
		{strings.TrimSpace(supportPrompt), "user-support"},
		{strings.TrimSpace(reviewPrompt), "user-review"},
		{strings.TrimSpace(intakePrompt), "user-intake"},
		{strings.TrimSpace(travelPrompt), "user-travel"},
	}
}

const (
	// The generated system prompts' lengths in words are uniform on this range.
	// Measured with the tokenizer that engine/gguf trains on Corpus, they take
	// 492 to 646 tokens with a median of 563, and the shared ones 548 to 576.
	MinWords, MaxWords = 390, 480
	MeanWords          = (MinWords + MaxWords) / 2
)

// OwnTurns is the slot of the user turns that go with a generated prompt.
const OwnTurns = "user-own"

var english = sync.OnceValue(func() grammar {
	g, err := parseGrammar(wordLists, sentenceTemplates)
	if err != nil {
		panic("text: embedded words: " + err.Error())
	}
	return g
})

// sections are the paragraphs of a generated prompt between its opening and its
// close, and fillOrder is the order in which sentences are dealt to them, so
// that prompts of any length have the same proportions.
var (
	sections  = []string{"about", "task", "rule", "tone", "format", "escalate", "example"}
	fillOrder = []string{"about", "task", "rule", "about", "task", "rule", "tone", "task", "rule", "format",
		"task", "rule", "escalate", "task", "rule", "example", "tone"}
)

// SystemPrompt writes a system prompt of close to the given number of words:
// the last sentence dealt is the one that reaches it. It begins with a coined
// name, and no sentence template occurs twice until its section is used up.
func SystemPrompt(r *rand.Rand, words int) string {
	w := newWriter(english(), r)
	opening := w.sentence(pick(r, w.g["opening"]))
	closing := w.sentence(pick(r, w.g["close"]))
	n := Words(opening) + Words(closing)

	paragraphs := map[string][]string{}
	decks := map[string][]template{}
	for i := 0; n < words; i++ {
		section := fillOrder[i%len(fillOrder)]
		if len(decks[section]) == 0 {
			decks[section] = shuffled(r, w.g[section])
		}
		s := w.sentence(decks[section][0])
		decks[section] = decks[section][1:]
		paragraphs[section] = append(paragraphs[section], s)
		n += Words(s)
	}

	var b strings.Builder
	b.WriteString(opening)
	for i, section := range sections {
		if i > 0 && len(paragraphs[section]) > 0 {
			b.WriteString("\n")
		}
		for _, s := range paragraphs[section] {
			if b.String()[b.Len()-1] != '\n' {
				b.WriteByte(' ')
			}
			b.WriteString(s)
		}
	}
	b.WriteString("\n")
	b.WriteString(closing)
	return b.String()
}

// UserTurn writes a message to the assistant: the matter, in a third of the cases
// a remark, and a question.
func UserTurn(r *rand.Rand, slot string) string {
	w := newWriter(english(), r)
	turn := []string{w.sentence(pick(r, w.g[slot]))}
	if r.IntN(3) == 0 {
		turn = append(turn, w.sentence(pick(r, w.g["user-more"])))
	}
	return strings.Join(append(turn, w.sentence(pick(r, w.g["user-ask"]))), " ")
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func shuffled[T any](r *rand.Rand, from []T) []T {
	out := append([]T(nil), from...)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// Words counts what white space separates.
func Words(s string) int { return len(strings.Fields(s)) }
