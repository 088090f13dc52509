package httptarget

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

const ms = time.Millisecond

// step is what a server of pipes does next: it waits, then it writes.
type step struct {
	after time.Duration
	bytes string
}

// paced answers the request of each connection with steps.
func paced(steps ...step) func(int, *conn) {
	return func(_ int, c *conn) {
		if c.request() == nil {
			return
		}
		for _, s := range steps {
			time.Sleep(s.after)
			c.write(s.bytes)
		}
	}
}

// bubble offers a tape to a server of pipes, in a bubble's time.
func bubble(t *testing.T, cfg Config, tape *loadgen.Tape, timeout time.Duration, play func(int, *conn), check func([]results.Record, Stats)) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewWall()
		cfg.URL = "http://server"
		target := New(clk, cfg, textOf)
		pipes(target, play)
		recs := offer(t, clk, target, tape, timeout)
		check(recs, target.Stats())
	})
}

// TestFirstTokenIsTheFirstContent names vllm#3759: a chunk with the role alone
// counted as the first token, 5 ms for 214 ms. inference-perf#559: tokens of
// reasoning are tokens.
func TestFirstTokenIsTheFirstContent(t *testing.T) {
	reasoning := `data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}` + "\n\n"
	play := paced(step{5 * ms, head + role}, step{209 * ms, reasoning}, step{30 * ms, content("a")}, step{1 * ms, limit}, step{4 * ms, end})
	bubble(t, Config{API: Chat, Ending: Told}, tapeOf(1, 0), time.Minute, play, func(recs []results.Record, s Stats) {
		require.Equal(t, []time.Duration{214 * ms, 244 * ms}, recs[0].Tokens)
		require.Equal(t, results.Some(249*ms), recs[0].Ended)
		require.Equal(t, results.Some(time.Duration(0)), recs[0].Sent)
	})
}

// TestTokensOfAChunk names vllm PR #46652 (ITL per chunk, not per token) and
// inference-perf#564 (tokens counted again for each chunk, which halves the ITL):
// every token has the time of the chunk that brought it, once.
func TestTokensOfAChunk(t *testing.T) {
	ids := func(n string) string {
		return `data: {"choices":[{"delta":{"content":"abc"},"token_ids":[` + n + `]}]}` + "\n\n"
	}
	usage := `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}` + "\n\n"
	t.Run("by ids", func(t *testing.T) {
		play := paced(step{10 * ms, head + ids("1")}, step{10 * ms, ids("2,3")}, step{10 * ms, limit + usage + end})
		bubble(t, Config{API: Chat, Ending: Told}, tapeOf(1, 0), time.Minute, play, func(recs []results.Record, s Stats) {
			require.Equal(t, []time.Duration{10 * ms, 20 * ms, 20 * ms}, recs[0].Tokens)
			require.Equal(t, Stats{Counted: map[Counting]int{ByIDs: 1}, Several: 1}, s)
		})
	})
	t.Run("by usage", func(t *testing.T) {
		play := paced(step{10 * ms, head + content("a")}, step{10 * ms, content("bcde")}, step{10 * ms, limit + usage + end})
		bubble(t, Config{API: Chat, Ending: Told}, tapeOf(1, 0), time.Minute, play, func(recs []results.Record, s Stats) {
			require.Equal(t, []time.Duration{10 * ms, 20 * ms, 20 * ms}, recs[0].Tokens)
			require.Equal(t, Stats{Counted: map[Counting]int{ByUsage: 1}}, s)
		})
	})
	t.Run("several events in one read", func(t *testing.T) {
		play := paced(step{10 * ms, head + content("a") + content("b")}, step{10 * ms, content("c") + limit + end})
		bubble(t, Config{API: Chat, Ending: Told}, tapeOf(1, 0), time.Minute, play, func(recs []results.Record, s Stats) {
			require.Equal(t, []time.Duration{10 * ms, 10 * ms, 20 * ms}, recs[0].Tokens)
		})
	})
}

// TestOneStalledStreamCostsNothingElse names sglang PR #32578 and vllm PR #51030,
// where it cost the whole run: it is a lower bound with the tokens that came, its
// connection is closed, and the others are answered.
func TestOneStalledStreamCostsNothingElse(t *testing.T) {
	closed := make(chan error, 1)
	play := func(n int, c *conn) {
		if c.request() == nil {
			return
		}
		time.Sleep(20 * ms)
		c.write(head + content("a"))
		if n == 1 {
			closed <- c.gone()
			return
		}
		c.write(limit + end)
	}
	bubble(t, Config{API: Chat, Ending: Told}, tapeOf(4, 10*ms), 500*ms, play, func(recs []results.Record, s Stats) {
		for i, r := range recs {
			if i == 1 {
				require.Equal(t, results.TimedOut, r.Outcome)
				require.Equal(t, results.Some("client timeout after 500ms"), r.Reason)
				require.Equal(t, results.Some(510*ms), r.Ended)
			} else {
				require.Equal(t, results.Completed, r.Outcome)
			}
			require.Equal(t, []time.Duration{r.Intended + 20*ms}, r.Tokens)
		}
	})
	<-closed
}

// TestLatencyCountsFromTheSchedule names vllm#54101 and guidellm#1048: a server
// that serves one request at a time under twice its capacity was reported with a
// p99 of 507 ms by a client that waited for free places; from the schedule it was
// 3,330 ms. Here the k-th request waits for the k before it.
func TestLatencyCountsFromTheSchedule(t *testing.T) {
	turn := make(chan struct{}, 1)
	play := func(_ int, c *conn) {
		if c.request() == nil {
			return
		}
		turn <- struct{}{}
		time.Sleep(100 * ms)
		<-turn
		c.write(head + content("a") + limit + end)
	}
	synctest.Test(t, func(t *testing.T) {
		turn = make(chan struct{}, 1)
		clk := clock.NewWall()
		target := New(clk, Config{URL: "http://server", API: Chat, Ending: Told}, textOf)
		pipes(target, play)
		recs := offer(t, clk, target, tapeOf(60, 50*ms), time.Hour)
		var slowest time.Duration
		for i, r := range recs {
			require.Equal(t, results.Some(r.Intended), r.Sent, "request %d waited for a place", i)
			slowest = max(slowest, r.Tokens[0]-r.Intended)
		}
		require.Equal(t, 60*100*ms-59*50*ms, slowest)
	})
}

// TestTheClientEnds: with Closed the server is asked for MaxTokens and the client
// goes away at StopTokens, which completes the request there.
func TestTheClientEnds(t *testing.T) {
	closed := make(chan error, 1)
	play := func(_ int, c *conn) {
		if c.request() == nil {
			return
		}
		c.write(head + content("a"))
		for range 2 {
			time.Sleep(10 * ms)
			c.write(content("a"))
		}
		closed <- c.gone()
	}
	bubble(t, Config{API: Chat, Ending: Closed}, tapeOf(1, 0), time.Minute, play, func(recs []results.Record, s Stats) {
		require.Equal(t, results.Completed, recs[0].Outcome)
		require.Equal(t, []time.Duration{0, 10 * ms, 20 * ms}, recs[0].Tokens)
		require.Equal(t, results.Some(20*ms), recs[0].Ended)
		require.Equal(t, map[Counting]int{ByChunk: 1}, s.Counted)
	})
	<-closed
}

// TestNoTimeIsBeforeItsCause names guidellm#216 (a TTFT of −1.75e12 ms), vllm-omni#6693
// (a negative TPOT) and vllm PR #5895 (a TTFT of 0 for none): refused and broken
// requests have no token times, and no time is before the one that led to it. offer
// checks every rule of the records.
func TestNoTimeIsBeforeItsCause(t *testing.T) {
	refuse := "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	play := func(n int, c *conn) {
		if c.request() == nil {
			return
		}
		switch n % 3 {
		case 0:
			c.write(refuse)
		case 1:
			time.Sleep(3 * ms)
		default:
			time.Sleep(3 * ms)
			c.write(head + content("a") + end)
		}
	}
	bubble(t, Config{API: Chat, Ending: Told}, tapeOf(30, ms), time.Minute, play, func(recs []results.Record, s Stats) {
		seen := map[results.Outcome]int{}
		for _, r := range recs {
			seen[r.Outcome]++
			require.True(t, r.Sent.OK && r.Ended.OK)
			require.Equal(t, r.Outcome == results.Completed, r.FirstToken().OK)
			require.False(t, r.Started.OK)
		}
		// InferenceX#357: what was refused is a row, as is every failure (aiperf PR #1338).
		require.Equal(t, map[results.Outcome]int{results.Shed: 10, results.Failed: 10, results.Completed: 10}, seen)
	})
}
