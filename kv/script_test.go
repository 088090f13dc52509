package kv

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/golden"
)

// TestScripts replays testdata/*.txt. A case is a command, a line of dashes, and
// what it gives: the answer, the evictions, the backend ops, and the blocks and ids after it. A
// letter is a token.
//
//	new blocks=8 block=4 seqs=4 [layout=streams] [retain=4]
//	admit NAME PROMPT MAX       run NAME [OUTPUT]   (computes the prompt and OUTPUT)
//	publish NAME                finish NAME         (keeps what is computed)
//	cancel NAME                 probe PROMPT
//	evict                       tree                (every node: run, pins, owner, keeper)
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			var got strings.Builder
			s := script{t: t}
			for i, c := range strings.Split(strings.TrimSpace(string(want)), "\n\n") {
				command, _, _ := strings.Cut(c, "\n----")
				if i > 0 {
					got.WriteString("\n")
				}
				lines := strings.Split(command, "\n")
				fmt.Fprintf(&got, "%s\n----\n%s", command, s.do(strings.Fields(lines[len(lines)-1])))
			}
			if golden.Rewriting() {
				require.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
				return
			}
			require.Equal(t, string(want), got.String())
		})
	}
}

type script struct {
	t     *testing.T
	cache *Paged
	named map[string]*scripted
}

type scripted struct {
	lease  Lease
	tokens []int32
}

func letters(s string) []int32 {
	out := make([]int32, len(s))
	for i := range s {
		out[i] = int32(s[i])
	}
	return out
}

func (s *script) do(args []string) string {
	var out strings.Builder
	answer := s.answer(args)
	if answer != "" {
		fmt.Fprintln(&out, answer)
	}
	for _, e := range s.cache.Evictions(nil) {
		fmt.Fprintln(&out, "evicted", e)
	}
	for _, op := range s.cache.Ops(nil) {
		fmt.Fprintln(&out, "op:", op)
	}
	st := s.cache.Stats()
	fmt.Fprintf(&out, "free %d, cached %d, held %d, promised %d; running %d, owners %d, free ids %d\n",
		st.Free, st.Cached, st.Held, st.Promised, st.Running, st.Owners, st.FreeSeqs)
	require.NoError(s.t, s.cache.Check())
	return out.String()
}

func (s *script) answer(args []string) string {
	switch args[0] {
	case "new":
		cfg := Config{Prefix: true, LogEvictions: true}
		for _, arg := range args[1:] {
			key, value, _ := strings.Cut(arg, "=")
			n, _ := strconv.Atoi(value)
			switch key {
			case "blocks":
				cfg.Blocks = n
			case "block":
				cfg.BlockTokens = n
			case "seqs":
				cfg.Seqs = n
			case "retain":
				cfg.RetainBlocks = n
			case "layout":
				cfg.Layout = Streams
			}
		}
		s.cache, s.named = must(NewPaged(cfg)), map[string]*scripted{}
		return ""
	case "probe":
		n := s.cache.Probe(letters(args[1]))
		pending, _ := s.cache.Pending(letters(args[1]))
		return fmt.Sprintf("%d cached, %d pending", n, pending)
	case "evict":
		if !s.cache.tree.EvictOne(OnDemand) {
			return "nothing to evict"
		}
		return ""
	case "tree":
		return s.dump(root, "")
	case "admit":
		maxTokens, err := strconv.Atoi(args[3])
		require.NoError(s.t, err)
		g, v := s.cache.Admit(Request{Prompt: letters(args[2]), MaxTokens: maxTokens})
		if v.Decision != Fits {
			return []string{"", "not now: ", "never: "}[v.Decision] + v.String()
		}
		s.named[args[1]] = &scripted{g.Lease, letters(args[2])}
		return fmt.Sprintf("sequence %d, hit %d", g.Seq, g.Hit)
	}
	r := s.named[args[1]]
	require.NotNil(s.t, r, "no request %s", args[1])
	switch args[0] {
	case "run":
		if len(args) > 2 {
			r.tokens = append(r.tokens, letters(args[2])...)
		}
		if err := s.cache.Reserve(r.lease, len(r.tokens)); err != nil {
			return err.Error()
		}
		require.NoError(s.t, s.cache.Commit(r.lease, len(r.tokens)))
		return ""
	case "publish":
		return fmt.Sprintf("%d cached", must(s.cache.Publish(r.lease, r.tokens)))
	case "finish":
		require.NoError(s.t, s.cache.Release(r.lease, r.tokens))
	case "cancel":
		require.NoError(s.t, s.cache.Release(r.lease, nil))
	default:
		s.t.Fatalf("no command %q", args[0])
	}
	return ""
}

func (s *script) dump(i int32, indent string) string {
	tree := s.cache.tree
	n := &tree.nodes[i]
	var out strings.Builder
	if i == root {
		out.WriteString("(root)\n")
	} else {
		var run strings.Builder
		for _, tok := range n.run {
			run.WriteByte(byte(tok))
		}
		fmt.Fprintf(&out, "%s%s", indent, run.String())
		if n.owner != none {
			fmt.Fprintf(&out, " owner %d blocks %v", n.owner, tree.owners[n.owner].blocks)
		}
		if n.pins > 0 {
			fmt.Fprintf(&out, " pins %d keeper %d", n.pins, n.keeper)
		}
		out.WriteString("\n")
	}
	for c := n.child; c != none; c = tree.nodes[c].older {
		out.WriteString(s.dump(c, indent+"  ") + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}
