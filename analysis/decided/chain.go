package decided

import (
	"crypto/sha256"
	"encoding/hex"
)

// Chain is the hash chain of a cell's lines: each hash covers its line and the hash
// before, so equal hashes mean equal lines up to there.
type Chain struct {
	Lines int    `json:"lines"`
	Final string `json:"final"` // hash of the last line: SHA-256, hexadecimal
	// Marks are the hashes of every markEvery-th line.
	Marks []Mark `json:"marks,omitempty"`
}

// Mark is a hash within a chain, shortened to its first 16 digits.
type Mark struct {
	Step int64  `json:"step"` // of the line
	Hash string `json:"hash"`
}

// markEvery is how many lines lie between two marks: a few marks a cell, and a difference
// is then known to some dozen lines even where the lines themselves are not at hand.
const markEvery = 128

// Chain hashes the cell's lines.
func (c *Cell) Chain() Chain {
	chain := Chain{Lines: len(c.Lines)}
	hash := sha256.Sum256([]byte(header))
	for i, l := range c.Lines {
		hash = sha256.Sum256(append(hash[:], l.String()...))
		if (i+1)%markEvery == 0 {
			chain.Marks = append(chain.Marks, Mark{l.Step, hex.EncodeToString(hash[:8])})
		}
	}
	chain.Final = hex.EncodeToString(hash[:])
	return chain
}

// Parted says between which steps two chains part: all lines up to the step after are
// equal (-1: none is known to be), and one up to the step by differs (-1: one up to the
// end). differ is false if the chains are equal.
func Parted(before, now Chain) (after, by int64, differ bool) {
	after, by = -1, -1
	if before.Final == now.Final {
		return after, by, false
	}
	for i := range min(len(before.Marks), len(now.Marks)) {
		if before.Marks[i] != now.Marks[i] {
			return after, max(before.Marks[i].Step, now.Marks[i].Step), true
		}
		after = before.Marks[i].Step
	}
	return after, by, true
}
