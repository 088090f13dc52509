package ladder

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// The parameters by which a manifest keeps a ladder that is not the default one: its
// name, its file's digest and whole text, and its rungs as they were understood. A
// resumed or replayed run has its rungs from the last, whatever became of the file.
const (
	paramLadder       = "ladder"
	paramLadderSHA256 = "ladder_sha256"
	paramLadderText   = "ladder_text"
	paramLadderRungs  = "ladder_rungs"
)

func (c *Config) ladderParams(p map[string]string) {
	if c.Ladder == nil {
		return
	}
	rungs, err := c.Ladder.Render()
	if err != nil {
		panic("ladder: a ladder that was read cannot be written: " + err.Error()) // a fuzz test tries
	}
	p[paramLadder], p[paramLadderSHA256] = c.Ladder.Name, c.Ladder.SHA256()
	p[paramLadderText], p[paramLadderRungs] = c.Ladder.Text, rungs
}

// ladderOf reads what ladderParams wrote; nil is the default ladder.
func ladderOf(p map[string]string) (*spec.Ladder, error) {
	name, given := p[paramLadder]
	if !given {
		return nil, nil
	}
	l, err := spec.Parse("parameter "+paramLadderRungs, []byte(p[paramLadderRungs]))
	if err != nil {
		return nil, err
	}
	l.Text = p[paramLadderText]
	if l.Name != name || l.SHA256() != p[paramLadderSHA256] {
		return nil, fmt.Errorf("the ladder %s is not what it was: its text has the SHA-256 %s, and parameter %q is %s", name, l.SHA256(), paramLadderSHA256, p[paramLadderSHA256])
	}
	return l, nil
}
