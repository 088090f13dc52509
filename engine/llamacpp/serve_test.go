package llamacpp_test

import (
	"errors"
	"hash/maphash"
	"strings"
	"testing"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/cadence-bench/cadence-bench/kv"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/stretchr/testify/require"
)

// requests gives the first n requests of a tape, 7 in 10 of which share one of four
// system prompts, with those cut to so many words.
func requests(t testing.TB, n, words, output int) []engine.Request {
	t.Helper()
	m := llamatest.Open(t)
	tape, err := loadgen.Make(loadgen.Spec{Workload: loadgen.SharedPrompt, RPS: 20, Seed: 7, Duration: 10 * time.Second})
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(tape.Requests), n)
	reqs := make([]engine.Request, n)
	for i := range reqs {
		r := &tape.Requests[i]
		system := strings.Fields(r.System)
		prompt, err := m.Tokenize(m.Chat(strings.Join(system[:min(words, len(system))], " "), r.User), true)
		require.NoError(t, err)
		reqs[i] = engine.Request{ID: i, Class: r.Class, Prompt: prompt, MaxTokens: output}
	}
	return reqs
}

// schedule is a way to serve requests.
type schedule struct {
	name    string
	context llamacpp.Params
	cells   int // that the scheduler believes in, 0 for those that there are
	config  engine.Config
	every   int // steps from one arrival to the next; 0 for all at once
	cancel  int // every so many steps, one request; 0 for none
}

// served is what came of it.
type served struct {
	answers   [][]engine.Token // by request, as far as it got
	cancelled []bool
	cells     []uint64 // hash of all keys and values of a request when it ended
	steps     int
	noSlot    int // steps that the backend refused
	preempted int // requests that were in the batch and then were not
	kv        kv.Stats
	slack     int // the fewest cells that were accounted for beyond those in use
}

// serve runs the requests through the scheduler and the backend, one step after the
// other, and after each step compares what the scheduler accounts for with what
// llama.cpp holds.
func (s schedule) serve(t testing.TB, reqs []engine.Request) served {
	t.Helper()
	c := newRun(t, s.context)
	defer c.Close()
	limits := c.Limits()
	if s.cells > 0 {
		limits.Cells, limits.SeqCells = s.cells, s.cells
	}
	require.NoError(t, s.config.Check())
	cache, err := s.config.Cache.New(limits)
	require.NoError(t, err)
	sched, err := engine.NewScheduler(s.config.Policy, limits, cache)
	require.NoError(t, err)

	out := served{answers: make([][]engine.Token, len(reqs)), cancelled: make([]bool, len(reqs)), cells: make([]uint64, len(reqs)), slack: limits.Cells}
	count := newCellCount(c)
	live, next := 0, 0
	cancel := func() { // the oldest that is not done, in whatever state it is
		for id := range next {
			if !out.cancelled[id] && len(out.answers[id]) < reqs[id].MaxTokens {
				out.cancelled[id] = true
				live--
				sched.Remove(id)
				return
			}
		}
	}
	for ; next < len(reqs) || live > 0; out.steps++ {
		now := time.Duration(out.steps) * time.Millisecond
		for next < len(reqs) && next*s.every <= out.steps {
			require.NoError(t, sched.Add(reqs[next], now))
			next++
			live++
		}
		due := s.cancel > 0 && out.steps%s.cancel == s.cancel-1
		if due && out.steps%2 == 0 {
			cancel()
		}
		batch, _ := sched.Plan(now)
		if batch == nil {
			continue
		}
		st := cache.Stats()
		accounted := (st.Blocks - st.Free) * s.config.Cache.BlockTokens
		err := c.Step(batch, &c.res)
		if due && out.steps%2 == 1 {
			cancel()
		}
		switch {
		case errors.Is(err, engine.ErrNoSlot):
			out.noSlot++
			before := sched.Running()
			id, stuck := sched.Abandon()
			require.False(t, stuck, "request %d", id)
			out.preempted += before - sched.Running()
		default:
			require.NoError(t, err)
			emitted := sched.Commit(c.res.Tokens)
			whose := outputs(batch.Rows)
			for i, e := range emitted {
				out.answers[e.ID] = append(out.answers[e.ID], e.Token)
				require.Len(t, out.answers[e.ID], e.N)
				if e.Last {
					if len(emitted) == len(whose) { // nobody was cancelled during the step
						out.cells[e.ID] = maphash.Bytes(seed, c.Cells(whose[i]))
					}
					live--
					sched.Remove(e.ID)
				}
			}
		}
		used := count.used()
		c.tells(batch, used, err)
		require.LessOrEqual(t, used, accounted, "step %d: cells in use and accounted for", out.steps)
		out.slack = min(out.slack, accounted-used)
	}
	for i, a := range out.answers {
		require.True(t, out.cancelled[i] || len(a) == reqs[i].MaxTokens, "request %d has %d tokens", i, len(a))
	}
	require.NoError(t, cache.(interface{ Check() error }).Check())
	out.kv = cache.Stats()
	return out
}

var seed = maphash.MakeSeed()

// outputs gives the sequence of each row that asks for output.
func outputs(rows []engine.Row) (seqs []engine.SeqID) {
	for _, r := range rows {
		if r.Output {
			seqs = append(seqs, r.Seq)
		}
	}
	return seqs
}

// cellCount finds out how many cells of a context are in use. What llama.cpp would
// write to save the context is so many bytes per cell that is in use, plus four for
// each sequence that it is tagged with, plus a head per stream that is not empty.
type cellCount struct {
	*run
	empty, head, cell int
}

func newCellCount(r *run) cellCount {
	info := llamatest.Open(r.TB).Info()
	return cellCount{r, r.StateSize(), 8 + 24*info.Layers, int(info.CellBytes) + 8}
}

// used also checks that each sequence is where the backend believes it to be.
func (n cellCount) used() int {
	tags, streams := 0, 0
	for seq := range int32(n.Limits().Seqs) {
		first, next := n.Held(seq)
		require.Zero(n, first, "sequence %d begins late", seq)
		require.Equal(n, n.Next(seq), next, "the end of sequence %d", seq)
		tags += int(next)
		if next > 0 && !n.Params().KVUnified {
			streams++
		}
	}
	if n.Params().KVUnified {
		streams = min(tags, 1)
	}
	bytes := n.StateSize() - n.empty - streams*n.head - 4*tags
	require.Zero(n, bytes%n.cell, "the layout of llama.cpp's state is not as it was")
	used := bytes / n.cell
	if !n.Params().KVUnified {
		require.Equal(n, tags, used)
	}
	return used
}
