package engine

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files in testdata")

// TestSchedulerGolden replays the scripts in testdata and compares what the
// scheduler decides, step by step. A script's lines are commands; the indented
// lines under a command are its output.
func TestSchedulerGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got := replay(t, string(want))
			if *rewrite {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			require.Equal(t, string(want), got)
		})
	}
}

func replay(t *testing.T, script string) string {
	var (
		out strings.Builder
		s   *Scheduler
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
			lim := Limits{Seqs: 4, SeqCells: 64, Cells: 64, Rows: 16, Vocab: 1 << 20}
			if n, ok := arg["cells"]; ok {
				lim.Cells = n
			}
			var err error
			s, err = NewScheduler(Policy{
				MaxBatch: arg["batch"], Refill: arg["refill"] == 1, StepTokens: arg["step"],
				FillWait: time.Duration(arg["wait"]) * time.Millisecond, DecodeFirst: arg["decode-first"] == 1,
			}, lim)
			if err != nil {
				say("%v", err)
			}
		case "add":
			if err := s.Add(scripted(arg["id"], arg["prompt"], arg["max"]), now); err != nil {
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
			tokens := make([]Token, len(s.outputs))
			for i, q := range s.outputs {
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
			say("waiting=%d running=%d free cells=%d", s.Waiting(), s.Running(), s.cells)
		default:
			t.Fatalf("unknown command %q", line)
		}
	}
	require.NoError(t, lines.Err())
	return out.String()
}

func scripted(id, prompt, maxTokens int) Request {
	r := Request{ID: id, MaxTokens: maxTokens}
	for i := range prompt {
		r.Prompt = append(r.Prompt, Token(id*100+i))
	}
	return r
}

// show prints a batch: its cache edits, then its rows run by run.
func show(say func(string, ...any), s *Scheduler, b *Batch) {
	for _, op := range b.Ops {
		say("remove seq %d [%d, %d)", op.Seq, op.From, op.To)
	}
	for _, id := range s.Started() {
		say("started %d", id)
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
	for name, tt := range map[string]struct {
		policy Policy
		want   string
	}{
		"no batch":      {Policy{StepTokens: 8}, "max batch is 0, must be at least 1"},
		"starved":       {Policy{MaxBatch: 8, StepTokens: 4}, "step tokens is 4, must be at least max batch (8)"},
		"negative wait": {Policy{MaxBatch: 1, StepTokens: 4, FillWait: -1}, "fill wait is -1ns"},
		"few sequences": {Policy{MaxBatch: 9, StepTokens: 9}, "the backend has 8 sequences"},
		"small backend": {Policy{MaxBatch: 8, StepTokens: 99}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewScheduler(tt.policy, lim)
			if tt.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.want)
			}
		})
	}
}

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

// decoding returns a scheduler with n sequences that have all been prefilled.
func decoding(tb testing.TB, n int) *Scheduler {
	s, err := NewScheduler(Policy{MaxBatch: n, Refill: true, StepTokens: 512, DecodeFirst: true},
		Limits{Seqs: n, SeqCells: 1 << 30, Cells: n << 30, Rows: 512, Vocab: 1 << 20})
	require.NoError(tb, err)
	for id := range n {
		require.NoError(tb, s.Add(scripted(id, 4, 1<<29), 0))
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
		s.Commit(tokens)
	}
}
