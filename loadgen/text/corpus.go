package text

import (
	"strings"

	"github.com/cadence-bench/cadence-bench/loadgen/random"
)

// Corpus returns about 1.2 MB of text made of the workloads' own sentences: the
// shared prompts (each a dozen times, since most requests carry one of them),
// generated system prompts, and user turns of every kind. It is the same in
// every call and meant for training a tokenizer, so that the workloads' prompts
// come out at realistic token counts. The generated part comes from streams of
// its own and repeats no prompt of any tape.
func Corpus() string {
	const rounds, promptsPerRound = 12, 25
	var b strings.Builder
	put := func(s string) {
		b.WriteString(s)
		b.WriteString("\n\n")
	}
	system := random.Stream(0, "corpus/system")
	turns := random.Stream(0, "corpus/turns")
	for range rounds {
		for _, s := range Shared() {
			put(s.System)
			for range promptsPerRound {
				put(UserTurn(turns, s.Turns))
			}
		}
		for range promptsPerRound {
			put(SystemPrompt(system, MeanWords))
			put(UserTurn(turns, OwnTurns))
		}
	}
	return b.String()
}
