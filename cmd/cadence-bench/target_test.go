package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/cadence-bench/cadence-bench/results"
)

// nobody is an address where nobody answers.
func nobody(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return "http://" + l.Addr().String()
}

// empty is a server that has no page.
func empty(t *testing.T) string {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	return server.URL
}

// llm is a server with OpenAI's completions API that remembers what it was asked.
type llm struct {
	key string

	mu      sync.Mutex
	prompts []string
	asked   []int
	version string
}

func (l *llm) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+l.key {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	switch r.URL.Path {
	case "/v1/models":
		fmt.Fprint(w, `{"data":[{"id":"tiny"}]}`)
	case "/version":
		l.mu.Lock()
		defer l.mu.Unlock()
		fmt.Fprintf(w, `{"version":%q}`, l.version)
	case "/v1/completions":
		l.complete(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (l *llm) complete(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model     string
		Prompt    json.RawMessage
		MaxTokens int  `json:"max_tokens"`
		Ignore    bool `json:"ignore_eos"`
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.Model != "tiny" || !in.Ignore {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	l.mu.Lock()
	l.prompts, l.asked = append(l.prompts, string(in.Prompt)), append(l.asked, in.MaxTokens)
	l.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for range in.MaxTokens {
		fmt.Fprint(w, `data: {"choices":[{"text":" a"}]}`+"\n\n")
	}
	fmt.Fprintf(w, `data: {"choices":[{"text":"","finish_reason":"length"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`+"\n\ndata: [DONE]\n\n",
		1+len(in.Prompt)/4, in.MaxTokens)
}

func serve(t *testing.T, l *llm) string {
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	return server.URL
}

// secondsOf are flags of a short sweep.
func secondsOf(out string, more ...string) []string {
	return append([]string{"ladder", "--rates", "8,16", "--slo", "2s", "--duration", "2s", "--warmup", "0s", "--timeout", "4s", "--api", "completions", "--out", out}, more...)
}

// TestServersAlone: two servers are measured on the same tapes without an engine,
// reported, and resumed only as what they were; the key is kept nowhere.
func TestServersAlone(t *testing.T) {
	t.Setenv(keyVariable, "sesame-123")
	a, b := &llm{key: "sesame-123", version: "1"}, &llm{key: "sesame-123"}
	dir := filepath.Join(t.TempDir(), "run")
	got := execute(t, t.Context(), secondsOf(dir, "--rungs", "none", "--target", "a="+serve(t, a), "--target", "b="+serve(t, b)+"/v1")...)
	requireMeasured(t, got)

	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	require.Equal(t, "http", run.Manifest.Backend)
	require.Len(t, run.Manifest.Targets, 2)
	require.Equal(t, "1", run.Manifest.Targets[0].Server)
	require.Equal(t, "tiny", run.Manifest.Targets[0].Model)
	var order []string
	hashes := map[string]bool{}
	for _, e := range run.Entries {
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		order = append(order, e.Rung)
		hashes[cell.TapeHash] = true
		require.Equal(t, "http", cell.Backend)
		require.False(t, cell.ProbeBefore.OK || cell.ProbeAfter.OK)
		require.Empty(t, cell.Violations)
		require.Equal(t, fmt.Sprint(len(records)), cell.Params["counted_by_usage"])
		for _, r := range records {
			require.Equal(t, results.Completed, r.Outcome, r.Reason.V)
			require.Len(t, r.Tokens, int(r.StopTokens.V), "the server is told the length")
			require.Positive(t, r.PromptTokens)
			require.False(t, r.CachedTokens.OK || r.Started.OK, "not told")
		}
	}
	require.Equal(t, []string{"a", "b", "b", "a"}, order, "rotated")
	require.Len(t, hashes, 2)

	// vllm#52884, vllm#54227: the same prompts in every cell of a seed would measure
	// the server's prefix cache.
	seen := map[string]bool{}
	for _, p := range a.prompts {
		require.False(t, seen[p], "no prompt twice")
		seen[p] = true
	}

	report := execute(t, t.Context(), "report", dir)
	require.Equal(t, exitOK, report.code, report.stderr)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(path)
			require.NotContains(t, string(data), "sesame", path)
		}
		return err
	}))

	requireMeasured(t, execute(t, t.Context(), "ladder", "--out", dir, "--resume"))
	a.mu.Lock()
	a.version = "2"
	a.mu.Unlock()
	other := execute(t, t.Context(), "ladder", "--out", dir, "--resume")
	require.Equal(t, exitInput, other.code)
	require.Contains(t, other.stderr, "cannot be resumed: its server a was")
	t.Setenv(keyVariable, "wrong")
	locked := execute(t, t.Context(), "ladder", "--out", dir, "--resume")
	require.Equal(t, exitEngine, locked.code)
	require.Contains(t, locked.stderr, "wants another key than CADENCE_API_KEY gives: HTTP 401")
}

// TestServerBesideTheEngine: one table of both, and prompts by token ids.
func TestServerBesideTheEngine(t *testing.T) {
	llamatest.Open(t)
	l := &llm{}
	t.Setenv(keyVariable, "")
	l.key = ""
	dir := filepath.Join(t.TempDir(), "run")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer ")
		l.ServeHTTP(w, r)
	}))
	defer server.Close()
	got := execute(t, t.Context(), small(dir, "--target", "stub="+server.URL, "--api", "completions", "--token-ids", "--target-length", "hidden")...)
	requireMeasured(t, got)
	cells, err := results.ReadSummary(filepath.Join(dir, "summary.json"))
	require.NoError(t, err)
	backends := map[string]string{}
	for _, c := range cells {
		backends[c.Rung] = c.Backend
	}
	require.Equal(t, map[string]string{"fifo": "llama.cpp", "continuous": "llama.cpp", "stub": "http"}, backends)
	ids := 0
	for _, p := range l.prompts {
		if strings.HasPrefix(p, "[") {
			ids++
		}
	}
	require.Equal(t, len(l.prompts)-3, ids, "all but the greetings")
}
