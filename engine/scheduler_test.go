package engine

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/kv"
)

// TestSchedulerGolden replays the scripts in testdata and compares what the
// scheduler decides, step by step. A script's lines are commands; the indented
// lines under a command are its output. Answers are scripted, so that they can be
// read. Every batch runs on the twin all the same, which must answer each request as
// one that holds the request's tokens so far and nothing else.
func TestSchedulerGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got := replay(t, string(want))
			golden.Equal(t, filepath.Base(file), got)
		})
	}
}

func replay(t *testing.T, script string) string {
	var (
		out strings.Builder
		s   *Scheduler
		b   Backend
		now time.Duration
	)
	lines := bufio.NewScanner(strings.NewReader(script))
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "  ") {
			continue
		}
		fmt.Fprintln(&out, line)
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		say := func(format string, args ...any) { fmt.Fprintf(&out, "  "+format+"\n", args...) }
		arg := arguments(t, words[1:])
		switch words[0] {
		case "new":
			var err error
			if s, b, err = scriptedScheduler(t, arg); err != nil {
				say("%v", err)
				continue
			}
		case "add":
			r := scripted(arg["id"], arg["prompt"], arg["max"])
			for i := range arg["shared"] {
				r.Prompt[i] = Token(9000 + i)
			}
			r.Deadline = time.Duration(arg["deadline"]) * time.Millisecond
			if arg["class"] > 0 {
				r.Class = fmt.Sprint("class ", arg["class"])
			}
			if err := s.Add(r, now); err != nil {
				say("%v", err)
			}
		case "remove":
			s.Remove(arg["id"])
		case "at":
			now = time.Duration(arg["ms"]) * time.Millisecond
		case "plan":
			batch, wake := s.Plan(now)
			if batch == nil {
				say("nothing to do, waiting=%d running=%d wake=%v", s.Waiting(), s.Running(), wake)
				break
			}
			show(say, s, batch)
		case "commit":
			commit(t, say, s, b)
		case "steps": // several steps of which only the sum is shown
			for range arg["n"] {
				if batch, _ := s.Plan(now); batch != nil {
					commit(t, func(string, ...any) {}, s, b)
					require.NoError(t, s.agree())
				}
			}
			state(say, s)
		case "abandon":
			before := len(s.preempted)
			require.NoError(t, b.Step(&Batch{Ops: s.batch.Ops}, new(StepResult)))
			if id, stuck := s.Abandon(); stuck {
				say("request %d is stuck", id)
			}
			for _, p := range s.preempted[before:] {
				say("preempted %d for lack of a %v", p.ID, p.Reason)
			}
			state(say, s)
		default:
			t.Fatalf("unknown command %q", line)
		}
		if s != nil {
			evicted(say, s)
		}
		require.NoError(t, s.agree(), line)
	}
	require.NoError(t, lines.Err())
	return out.String()
}

// scriptedScheduler makes the scheduler of a script, contiguous to the token unless a
// block size is given, and its backend.
func scriptedScheduler(t *testing.T, arg map[string]int) (*Scheduler, Backend, error) {
	lim := Limits{Seqs: 4, SeqCells: 64, Cells: 64, Rows: 16, Vocab: 1 << 20}
	if n, ok := arg["cells"]; ok {
		lim.Cells = n
	}
	if n, ok := arg["seqs"]; ok {
		lim.Seqs = n
	}
	ms := func(name string) time.Duration { return time.Duration(arg[name]) * time.Millisecond }
	p := Policy{
		MaxBatch: arg["batch"], Refill: arg["refill"] == 1, StepTokens: arg["step"],
		FillWait: ms("wait"), DecodeFirst: arg["decode-first"] == 1,
		PrefillTokens: arg["prefill"], PrefillStreak: arg["streak"],
		Order: Order(arg["edf"]), Patience: ms("patience"), ShareWait: ms("share-wait"), LatePublish: arg["late"] == 1, Quantum: arg["quantum"],
	}
	for class, name := range map[string]string{"": "floor", "class 1": "floor1", "class 2": "floor2"} {
		if arg[name] > 0 {
			p.Floors = append(p.Floors, Floor{Class: class, Share: float64(arg[name]) / 100})
		}
	}
	cache, err := CacheConfig{
		Paged: arg["block"] > 0, BlockTokens: arg["block"], Prefix: arg["prefix"] == 1,
		Streams: arg["streams"] == 1, Optimism: float64(arg["optimism"]) / 100,
	}.build(lim, true)
	require.NoError(t, err)
	s, err := NewScheduler(p, lim, cache)
	if arg["streams"] == 1 {
		lim.Cells = lim.Seqs * lim.SeqCells
	}
	return s, newTwin(lim, arg["streams"] == 0), err
}

func commit(t *testing.T, say func(string, ...any), s *Scheduler, b Backend) {
	var res StepResult
	require.NoError(t, b.Step(&s.batch, &res))
	tokens := make([]Token, len(s.outputs))
	for i, q := range s.outputs {
		held := q.tokens[:q.computed+q.planned]
		require.Equal(t, answer(held, 1, b.Limits().Vocab, q.Sampling)[0], res.Tokens[i], "request %d does not hold its own tokens", q.ID)
		tokens[i] = Token(q.ID*1000 + q.output + 1)
	}
	for _, em := range s.Commit(tokens) {
		last := ""
		if em.Last {
			last = " last"
			s.Remove(em.ID)
		}
		say("request %d: token %d is %d%s", em.ID, em.N, em.Token, last)
	}
	state(say, s)
}

func state(say func(string, ...any), s *Scheduler) {
	st := s.cache.Stats()
	held := ""
	if s.Held() > 0 {
		held = fmt.Sprintf(" (%d held)", s.Held())
	}
	if _, ok := s.cache.(*kv.Contiguous); ok {
		say("waiting=%d%s running=%d free cells=%d", s.Waiting(), held, s.Running(), st.Free)
		return
	}
	say("waiting=%d%s running=%d blocks: free=%d cached=%d held=%d", s.Waiting(), held, s.Running(), st.Free, st.Cached, st.Held)
}

func scripted(id, prompt, maxTokens int) Request {
	r := Request{ID: id, MaxTokens: maxTokens}
	for i := range prompt {
		r.Prompt = append(r.Prompt, Token(id*100+i))
	}
	return r
}

func evicted(say func(string, ...any), s *Scheduler) {
	if s.share == nil {
		return
	}
	for _, e := range s.share.Evictions(nil) {
		say("evicted %d tokens of seq %d for %v", e.Tokens, e.Seq, e.Reason)
	}
}

// show prints a batch: decisions, cache edits, then its rows run by run.
func show(say func(string, ...any), s *Scheduler, b *Batch) {
	for _, p := range s.preempted {
		say("preempted %d for lack of %v: %d blocks, %d tokens", p.ID, p.Reason, p.Blocks, p.Tokens)
	}
	for _, a := range s.joins {
		if a.Hit > 0 || a.Resumed {
			say("admitted %d: %d tokens, %d cached, again %t", a.ID, a.Tokens, a.Hit, a.Resumed)
		}
	}
	evicted(say, s)
	for _, op := range b.Ops {
		if op.Kind == OpCopy {
			say("copy seq %d to %d", op.Src, op.Seq)
		} else {
			say("remove seq %d [%d, %d)", op.Seq, op.From, op.To)
		}
	}
	for _, st := range s.Started() {
		cached := ""
		if st.Cached > 0 {
			cached = fmt.Sprintf(" with %d cached", st.Cached)
		}
		say("started %d%s", st.ID, cached)
	}
	for i := 0; i < len(b.Rows); {
		j := i + 1
		for j < len(b.Rows) && b.Rows[j].Seq == b.Rows[i].Seq {
			j++
		}
		first, last := b.Rows[i], b.Rows[j-1]
		output := ""
		if last.Output {
			output = " -> output"
		}
		say("seq %d pos %d..%d tokens %d..%d%s", first.Seq, first.Pos, last.Pos, first.Token, last.Token, output)
		i = j
	}
}

func arguments(t *testing.T, words []string) map[string]int {
	arg := map[string]int{}
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			value = "1"
		}
		n, err := strconv.Atoi(value)
		require.NoError(t, err, w)
		arg[key] = n
	}
	return arg
}

func TestPolicyCheck(t *testing.T) {
	lim := Limits{Seqs: 8, SeqCells: 64, Cells: 64, Rows: 16}
	ok := Policy{MaxBatch: 2, StepTokens: 8, Refill: true}
	with := func(change func(*Policy)) Policy { p := ok; change(&p); return p }
	for name, tt := range map[string]struct {
		policy Policy
		want   string
	}{
		"no batch":         {Policy{StepTokens: 8}, "max batch is 0, must be at least 1"},
		"starved":          {Policy{MaxBatch: 8, StepTokens: 4}, "step tokens is 4, must be at least max batch (8)"},
		"negative wait":    {Policy{MaxBatch: 1, StepTokens: 4, FillWait: -1}, "fill wait is -1ns"},
		"few sequences":    {Policy{MaxBatch: 9, StepTokens: 9}, "the backend has 8 sequences"},
		"small backend":    {Policy{MaxBatch: 8, StepTokens: 99}, ""},
		"negative budget":  {with(func(p *Policy) { p.PrefillTokens = -1 }), "prefill tokens -1"},
		"unknown order":    {with(func(p *Policy) { p.Order = 9 }), "order 9 is unknown"},
		"no patience":      {with(func(p *Policy) { p.Patience = -1 }), "patience -1ns"},
		"share, no refill": {with(func(p *Policy) { p.ShareWait, p.Refill = 1, false }), "without refill"},
		"no share":         {with(func(p *Policy) { p.Floors = []Floor{{"a", 0}} }), "must be above 0"},
		"floor twice":      {with(func(p *Policy) { p.Floors = []Floor{{"a", .1}, {"a", .2}} }), "two floors"},
		"too much":         {with(func(p *Policy) { p.Floors = []Floor{{"a", .6}, {"b", .6}} }), "add up to 1.2"},
		"all at once":      {with(func(p *Policy) { p.Floors = []Floor{{"a", .6}, {"", .4}}; p.ShareWait, p.Order = 1, EDF }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			cache, err := CacheConfig{}.New(lim)
			require.NoError(t, err)
			_, err = NewScheduler(tt.policy, lim, cache)
			if tt.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.want)
			}
		})
	}
}

func TestCacheConfig(t *testing.T) {
	for name, tt := range map[string]struct {
		config CacheConfig
		lim    Limits
		blocks int
		err    string
	}{
		"to the token":        {CacheConfig{}, Limits{Seqs: 2, SeqCells: 50, Cells: 100}, 100, ""},
		"paged":               {CacheConfig{Paged: true}, Limits{Seqs: 2, SeqCells: 50, Cells: 100}, 6, ""},
		"streams round up":    {CacheConfig{Paged: true, Streams: true}, Limits{Seqs: 2, SeqCells: 50, Cells: 100}, 8, ""},
		"bounded":             {CacheConfig{Paged: true, Cells: 40}, Limits{Seqs: 2, SeqCells: 50, Cells: 100}, 2, ""},
		"prefix of nothing":   {CacheConfig{Prefix: true}, Limits{Seqs: 2, SeqCells: 50, Cells: 100}, 0, "need a paged cache"},
		"no block":            {CacheConfig{Paged: true}, Limits{Seqs: 2, SeqCells: 9, Cells: 9}, 0, "less than one block"},
		"negative":            {CacheConfig{Cells: -1}, Limits{Seqs: 2, SeqCells: 9, Cells: 9}, 0, "must not be negative"},
		"too much confidence": {CacheConfig{Paged: true, Optimism: 2}, Limits{Seqs: 2, SeqCells: 50, Cells: 100}, 0, "share"},
	} {
		t.Run(name, func(t *testing.T) {
			cache, err := tt.config.New(tt.lim)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.blocks, cache.Stats().Blocks)
		})
	}
}

const benchTokens = 1 << 14 // of each sequence

// TestPlanCommitDoNotAllocate: a step of 24 decoding sequences costs the
// scheduler no garbage.
func TestPlanCommitDoNotAllocate(t *testing.T) {
	s := decoding(t, 24)
	tokens := make([]Token, 24)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		s.Plan(0)
		s.Commit(tokens)
	}))
}

// decoding returns a scheduler, on a paged cache with prefixes, with n sequences
// that have all been prefilled.
func decoding(tb testing.TB, n int) *Scheduler {
	lim := Limits{Seqs: 256, SeqCells: 2 * benchTokens, Cells: 2 * n * benchTokens, Rows: 512, Vocab: 1 << 20}
	cache, err := CacheConfig{Paged: true, Prefix: true}.New(lim)
	require.NoError(tb, err)
	s, err := NewScheduler(Policy{
		MaxBatch: n, Refill: true, StepTokens: 512, DecodeFirst: true,
		Order: EDF, Floors: []Floor{{"", .1}}, ShareWait: time.Second,
	}, lim, cache)
	require.NoError(tb, err)
	for id := range n {
		require.NoError(tb, s.Add(scripted(id, 20, benchTokens), 0))
	}
	s.Plan(0)
	require.Len(tb, s.Commit(make([]Token, n)), n)
	return s
}

func BenchmarkPlanCommit24(b *testing.B) {
	s := decoding(b, 24)
	tokens := make([]Token, 24)
	b.ReportAllocs()
	for b.Loop() {
		s.Plan(0)
		if s.Commit(tokens)[0].Last {
			b.StopTimer()
			s = decoding(b, 24)
			b.StartTimer()
		}
	}
}
