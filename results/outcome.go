package results

import (
	"fmt"
	"slices"
	"strings"
)

var outcomes = []Outcome{Completed, Shed, TimedOut, Cancelled, Failed}

// Outcomes returns every outcome, in the order in which tables list them.
func Outcomes() []Outcome { return slices.Clone(outcomes) }

// Known reports whether o is one of Outcomes.
func (o Outcome) Known() bool { return slices.Contains(outcomes, o) }

// ParseOutcome returns the outcome that s names.
func ParseOutcome(s string) (Outcome, error) {
	if o := Outcome(s); o.Known() {
		return o, nil
	}
	return "", fmt.Errorf("unknown outcome %q: want one of %s", s, strings.Join(outcomeNames(), ", "))
}

func outcomeNames() []string {
	names := make([]string, len(outcomes))
	for i, o := range outcomes {
		names[i] = string(o)
	}
	return names
}
