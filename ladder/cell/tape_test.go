package cell_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/loadgen"
)

// templated puts a mark of the chat template before the user's turn.
type templated struct {
	celltest.Machine
	encoded int
	fail    error
}

func (m *templated) Encode(system, user string, _ ...string) ([]engine.Token, error) {
	m.encoded++
	if m.fail != nil {
		return nil, m.fail
	}
	return m.Machine.Encode("<system> "+system+" <user>", user+" <assistant>")
}

// TestSharedTokens: the tokens that are shared are the system prompt's and the
// template's up to the user's turn, for every request with a shared prompt and for no
// other, and a shared prompt is tokenised for it once.
func TestSharedTokens(t *testing.T) {
	m := &templated{}
	tapes := cell.NewTapes(m)
	tape, err := loadgen.Make(loadgen.Spec{Workload: loadgen.SharedPrompt, RPS: 2, Seed: 3, Duration: time.Minute})
	require.NoError(t, err)
	tape.Requests[0].System, tape.Requests[0].Group, tape.Requests[0].User = "You are terse.", 0, "0 or 1?"
	different := map[string]bool{}
	for _, r := range tape.Requests {
		different[r.System+"/"+r.User] = true
	}
	tokenised, err := tapes.Tokenise(tape)
	require.NoError(t, err)
	shared := tokenised.Shared()
	require.LessOrEqual(t, m.encoded-len(different), 5, "four shared prompts and the one above")
	for i, r := range tape.Requests {
		require.Equal(t, r.Group >= 0, shared[i].OK)
		if r.Group >= 0 {
			require.Equal(t, len(strings.Fields(r.System))+2, int(shared[i].V), "request %d", i)
		}
	}
	tape.Requests[1].Group, tape.Requests[1].System = 7, ""
	tokenised, err = tapes.Tokenise(tape)
	require.NoError(t, err)
	require.False(t, tokenised.Shared()[1].OK, "a recording's prefix is in the user's turn")
	m.fail = errors.New("no tokenizer")
	_, err = cell.NewTapes(m).Tokenise(tape)
	require.ErrorContains(t, err, "request 0: no tokenizer")
}

// TestServersGetTheConversation: every turn goes to a server with what was said before
// it, as to the embedded engine, and with the mark of the cell at its beginning.
func TestServersGetTheConversation(t *testing.T) {
	tape, err := loadgen.Make(loadgen.Spec{Workload: "sessions:turns=3", RPS: 3, Seed: 3, Duration: time.Minute})
	require.NoError(t, err)
	s := cell.Server{Mark: "[cell 1]"}
	prompts, err := s.Prompts(nil, tape)
	require.NoError(t, err)
	require.Len(t, prompts, len(tape.Requests))
	for i, r := range tape.Requests {
		require.Len(t, prompts[i].History, 2*r.Turn)
		require.Equal(t, r.History, prompts[i].History)
		require.Equal(t, r.User, prompts[i].User)
		require.Equal(t, "[cell 1]\n"+r.System, prompts[i].System)
	}
}
