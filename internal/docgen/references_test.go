package docgen

import (
	"testing"

	"github.com/cadence-bench/cadence-bench/internal/golden"
)

func TestReferences(t *testing.T) {
	all := references()
	for _, name := range []string{"columns", "step-columns", "summary-keys", "rules"} {
		golden.Equal(t, name+".md", all[name])
	}
}
