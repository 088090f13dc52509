package loadgen

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/loadgen/text"
)

func sample(t testing.TB, spec string, n int, seed uint64) []Request {
	t.Helper()
	load, err := OpenLoad(spec, "")
	require.NoError(t, err)
	return load.Sample(n, seed).Requests
}

func TestSessionsCarryTheConversation(t *testing.T) {
	all := sample(t, "sessions:turns=3,think=4s,system=50", 3000, 7)
	think, later := 0.0, 0
	systems := map[string]bool{}
	for i, r := range all {
		require.Equal(t, i/3+1, r.Session)
		require.Equal(t, i%3, r.Turn)
		require.Len(t, r.History, 2*r.Turn)
		if r.Turn == 0 {
			require.Zero(t, r.Think)
			require.False(t, systems[r.System], "no two conversations share a system prompt")
			systems[r.System] = true
			continue
		}
		last := all[i-1]
		require.Equal(t, last.System, r.System)
		require.Equal(t, append(append([]string{}, last.History...), last.User), r.History[:len(last.History)+1])
		answer := r.History[len(r.History)-1]
		require.Equal(t, text.WordsFor(last.StopTokens), text.Words(answer), "an answer of the scripted length")
		think += r.Think.Seconds()
		later++
	}
	require.InDelta(t, 4, think/float64(later), 4*4/math.Sqrt(float64(later)))
}

// The rate is requests per second, so conversations come turns times more rarely.
func TestSessionsKeepTheRate(t *testing.T) {
	load, err := OpenLoad("sessions:turns=5", "")
	require.NoError(t, err)
	n := 0
	for seed := range uint64(20) {
		tape, err := load.Make(10, seed, time.Minute)
		require.NoError(t, err)
		n += len(tape.Requests)
	}
	require.InDelta(t, 20*600, n, 4*5*math.Sqrt(20*120))
}

func TestPrefixRepetition(t *testing.T) {
	const n = 5000
	all := sample(t, "prefix-repetition:prefixes=4,prefix=100,suffix=20,output=7,share=0.75", n, 3)
	texts, shared := map[int]string{}, 0.0
	groups := map[int]float64{}
	unique := map[string]bool{}
	for _, r := range all {
		require.Equal(t, 7, r.MaxTokens)
		require.Equal(t, text.WordsFor(100), text.Words(r.System))
		require.Equal(t, text.WordsFor(20), text.Words(r.User))
		if r.Group < 0 {
			require.Equal(t, "unique", r.Class)
			require.False(t, unique[r.System])
			unique[r.System] = true
			continue
		}
		shared++
		groups[r.Group]++
		if texts[r.Group] == "" {
			texts[r.Group] = r.System
		}
		require.Equal(t, texts[r.Group], r.System)
	}
	require.Len(t, texts, 4)
	require.InDelta(t, 0.75, shared/n, 4*math.Sqrt(0.75*0.25/n))
	for g := range 4 {
		require.InDelta(t, 0.25, groups[g]/shared, 4*math.Sqrt(0.25*0.75/shared))
	}
	require.NotEqual(t, all[0].System, sample(t, "prefix-repetition", 1, 4)[0].System)
}

// TestChat: prompts and answers have their means, and answers a tail.
func TestChat(t *testing.T) {
	const n = 3000
	var words, answers, longest float64
	for _, r := range sample(t, "chat:prompt=100,output=200", n, 3) {
		words += float64(text.Words(r.User))
		answers += float64(r.StopTokens)
		longest = max(longest, float64(r.StopTokens))
		require.Equal(t, -1, r.Group)
		require.Empty(t, r.System)
		require.LessOrEqual(t, r.StopTokens, r.MaxTokens)
	}
	require.InEpsilon(t, float64(text.WordsFor(100)), words/n, 0.05)
	require.InEpsilon(t, 200, answers/n, 0.05)
	require.Greater(t, longest, 800.0)
}

func TestBimodal(t *testing.T) {
	const n = 5000
	long := 0.0
	for _, r := range sample(t, "bimodal:short=8,long=90,share=0.1,short-prompt=16,long-prompt=64", n, 3) {
		require.Equal(t, r.MaxTokens, r.StopTokens)
		if r.Class == "long" {
			long++
			require.Equal(t, 90, r.MaxTokens)
			require.Equal(t, text.WordsFor(64), text.Words(r.User))
			continue
		}
		require.Equal(t, "short", r.Class)
		require.Equal(t, 8, r.MaxTokens)
		require.Equal(t, text.WordsFor(16), text.Words(r.User))
	}
	require.InDelta(t, 0.1, long/n, 4*math.Sqrt(0.09/n))
}

func TestWorkloadSpecs(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"shared-prompt", "shared-prompt"}, {"sessions", "sessions"},
		{"sessions:think=1m,turns=4", "sessions:think=1m0s"},
		{"bimodal:share=0.5,short=9", "bimodal:short=9,share=0.5"},
	} {
		w, err := ParseWorkload(c.spec)
		require.NoError(t, err)
		require.Equal(t, c.want, w.String())
	}
	for _, c := range []struct{ spec, want string }{
		{"uniform:share=1", "workload uniform: takes no parameter share"},
		{"bimodal:shor=3", `workload bimodal: unknown parameter shor: did you mean "short"?`},
		{"bimodal:short=0", "short=0: give a whole number from 1 to 1048576"},
		{"bimodal:short=1.5", "short=1.5: give a whole number"},
		{"sessions:think=-1s", "think=-1s: give a duration of at least 0s"},
		{"sessions:turns=", `"turns=" is not a parameter`},
		{"trace", "workload trace: name a file, as in trace:FILE"},
		{"session", `unknown workload "session": did you mean "sessions"?`},
	} {
		_, err := ParseWorkload(c.spec)
		require.ErrorContains(t, err, c.want, c.spec)
		require.NotContains(t, err.Error(), "\n")
	}
}
