// Package nearest finds the name that somebody probably meant.
package nearest

import (
	"fmt"
	"strings"
)

// Match returns the candidate with the least Levenshtein distance to word
// (letter case ignored; the first among equals), and whether it is near enough
// to be worth suggesting: at most a third of the longer word's letters differ,
// and at least one edit is always allowed. Failing that, it is the first candidate
// that begins with word.
func Match(word string, candidates []string) (string, bool) {
	best, least := "", -1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); least < 0 || d < least {
			best, least = c, d
		}
	}
	if least >= 0 && least <= max(1, max(len([]rune(word)), len([]rune(best)))/3) {
		return best, true
	}
	for _, c := range candidates {
		if len(word) >= shortest && strings.HasPrefix(strings.ToLower(c), strings.ToLower(word)) {
			return c, true
		}
	}
	return "", false
}

// Hint says which of the names somebody probably meant or, when none is near, what they
// are.
func Hint(word string, names []string) string {
	if near, ok := Match(word, names); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "choose from " + strings.Join(names, ", ")
}

// shortest is how many letters of a beginning stand for the whole word.
const shortest = 3

// distance counts the single-letter insertions, deletions and substitutions
// that turn a into b.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range to {
			substitute := diagonal
			if x != y {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
