package loadgen

import "strings"

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
	system := stream(0, "corpus/system")
	turns := stream(0, "corpus/turns")
	for range rounds {
		for _, s := range sharedPrompts() {
			put(s.system)
			for range promptsPerRound {
				put(userTurn(turns, s.turns))
			}
		}
		for range promptsPerRound {
			put(systemPrompt(system, meanWords))
			put(userTurn(turns, ownTurns))
		}
	}
	return b.String()
}
