package httptarget

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// TestFaults plays what servers and networks do, byte for byte over a loopback
// socket, and says what it must be recorded as.
func TestFaults(t *testing.T) {
	const whole = "a whole answer"
	status := func(line, headers, body string) string {
		return fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s", line, headers, len(body), body)
	}
	for name, tt := range map[string]struct {
		api     API
		play    func(int, *conn)
		outcome results.Outcome
		reason  string // contained
		tokens  int
	}{
		whole:                        {Chat, always(head + role + content("a") + content("b") + content("c") + limit + end), results.Completed, "", 3},
		"without [DONE]":             {Chat, always(head + content("a") + limit), results.Completed, "", 1},
		"without a finish reason":    {Chat, always(head + content("a") + end), results.Completed, "", 1},
		"more after [DONE]":          {Chat, always(head + content("a") + end + content("b")), results.Completed, "", 1},
		"a token in pieces":          {Chat, always(head + content("a") + content("b") + content("c") + content("d") + limit + end), results.Completed, "", 3},
		"no content type":            {Chat, always("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + content("a") + end), results.Completed, "", 1},
		"comments and CRLF":          {Chat, always(head + ": ping\r\n\r\n" + strings.ReplaceAll(content("a")+content("b")+end, "\n", "\r\n")), results.Completed, "", 2},
		"429":                        {Chat, always(status("429 Too Many Requests", "Retry-After: 7\r\n", `{"error":{"message":"queue is full"}}`)), results.Shed, "HTTP 429 Too Many Requests, Retry-After 7: queue is full", 0},
		"503":                        {Chat, always(status("503 Service Unavailable", "", `{"error":{"code":503,"message":"Loading model"}}`)), results.Shed, "HTTP 503 Service Unavailable: Loading model", 0},
		"500":                        {Chat, always(status("500 Internal Server Error", "", "<html>\n<b>oops</b>")), results.Failed, "HTTP 500 Internal Server Error: <html> <b>oops</b>", 0},
		"400":                        {Chat, always(status("400 Bad Request", "", `{"detail":"ignore_eos is not known"}`)), results.Failed, "HTTP 400 Bad Request: ignore_eos is not known", 0},
		"404":                        {Chat, always(status("404 Not Found", "", "")), results.Failed, "HTTP 404 Not Found", 0},
		"a redirect":                 {Chat, always(status("307 Temporary Redirect", "Location: http://me:secret@elsewhere/\r\n", "")), results.Failed, "HTTP 307 Temporary Redirect, Location http://…@elsewhere/", 0},
		"an unknown status":          {Chat, always(status("599 Odd", "", "")), results.Failed, "HTTP 599", 0},
		"not a stream":               {Chat, always(status("200 OK", "Content-Type: application/json\r\n", `{"message":"streams are off"}`)), results.Failed, "application/json and not with a stream: streams are off", 0},
		"no answer":                  {Chat, func(_ int, c *conn) { c.request() }, results.Failed, "connection closed before an answer", 0},
		"reset before an answer":     {Chat, func(_ int, c *conn) { c.request(); c.reset() }, results.Failed, "connection reset before an answer", 0},
		"not HTTP":                   {Chat, always("SSH-2.0-OpenSSH_9.6\r\n"), results.Failed, "malformed HTTP", 0},
		"no token":                   {Chat, always(head + role + limit + end), results.Failed, `the answer has no token (finish reason "length") (0 tokens)`, 0},
		"an empty stream":            {Chat, always(head), results.Failed, "the stream ended before the answer did (0 tokens)", 0},
		"a stream that ends":         {Chat, always(head + content("a") + content("b")), results.Failed, "the stream ended before the answer did (2 tokens)", 2},
		"an event that ends":         {Chat, always(head + content("a") + strings.TrimSuffix(content("b"), "\n")), results.Failed, "the stream ended before the answer did (1 tokens)", 1},
		"malformed JSON":             {Chat, always(head + content("a") + "data: {\"choices\":[{\"del\n\n" + end), results.Failed, `malformed chunk {"choices":[{"del`, 1},
		"an error in the stream":     {Chat, always(head + content("a") + `data: {"error":{"message":"out of memory"}}` + "\n\n"), results.Failed, "the server says: out of memory (1 tokens)", 1},
		"an event named error":       {Llama, always(head + "event: error\ndata: no slot\n\n"), results.Failed, "malformed chunk no slot", 0},
		"an endless answer":          {Chat, always(head + strings.Repeat(content("a"), 1000)), results.Failed, "of the 3 tokens asked for (3 tokens)", 3},
		"an endless line":            {Chat, always(head + "data: " + strings.Repeat("x", 2*maxEvent)), results.Failed, errLongEvent.Error(), 0},
		"a short chunked body":       {Chat, always("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n" + content("a")), results.Failed, "connection closed in the middle of the stream (1 tokens)", 1},
		"a malformed chunked body":   {Chat, always("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), results.Failed, "in the middle of the stream (0 tokens)", 0},
		"reset in the stream":        {Chat, func(_ int, c *conn) { c.request(); c.write(head + content("a")); c.reset() }, results.Failed, "connection reset", -1},
		"llama":                      {Llama, always(head + `data: {"content":"a","tokens":[5],"stop":false}` + "\n\n" + `data: {"content":"","stop":true,"tokens_predicted":1,"tokens_evaluated":9}` + "\n\n"), results.Completed, "", 1},
		"llama, an older error line": {Llama, always(head + "error: {\"message\":\"gone\"}\n\n"), results.Failed, "the stream ended before the answer did", 0},
	} {
		t.Run(name, func(t *testing.T) {
			rec, stats := ask(t, Config{URL: listen(t, tt.play), API: tt.api, Ending: Told})
			require.Equal(t, tt.outcome, rec.Outcome, rec.Reason.V)
			require.Contains(t, rec.Reason.V, tt.reason)
			require.NotContains(t, rec.Reason.V, "secret")
			require.Equal(t, tt.reason != "", rec.Reason.OK)
			if tt.tokens >= 0 { // a reset may overtake the token
				require.Len(t, rec.Tokens, tt.tokens)
			}
			require.Zero(t, stats.Exhausted)
			require.False(t, rec.Started.OK, "cannot be seen from outside")
		})
	}
	t.Run("connection refused", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		l.Close()
		rec, _ := ask(t, Config{URL: "http://" + l.Addr().String(), API: Chat})
		require.Equal(t, results.Failed, rec.Outcome)
		require.Equal(t, "connection refused before an answer", rec.Reason.V)
	})
	t.Run("unknown host", func(t *testing.T) {
		rec, _ := ask(t, Config{URL: "http://nowhere.invalid", API: Chat})
		require.Equal(t, results.Failed, rec.Outcome)
		require.Contains(t, rec.Reason.V, "nowhere.invalid")
	})
}

// TestUsageIsRead: what the server tells of the prompt, its cache and the answer.
func TestUsageIsRead(t *testing.T) {
	usage := func(s string) string { return `data: {"choices":[],"usage":{` + s + "}}\n\n" }
	answer := head + role + content("ab") + content("cdef") + limit
	for name, tt := range map[string]struct {
		body           string
		prompt, tokens int
		cached         results.Opt[int32]
		how            Counting
		bad            int
	}{
		"none":                        {answer + end, 0, 2, results.Opt[int32]{}, ByChunk, 0},
		"all":                         {answer + usage(`"prompt_tokens":20,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":16}`) + end, 20, 3, results.Some[int32](16), ByUsage, 0},
		"no cache (vllm PR #5895)":    {answer + usage(`"prompt_tokens":20,"completion_tokens":2`) + end, 20, 2, results.Opt[int32]{}, ByUsage, 0},
		"more cached than the prompt": {answer + usage(`"prompt_tokens":20,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":21}`) + end, 20, 2, results.Opt[int32]{}, ByUsage, 1},
		"more tokens than asked for":  {answer + usage(`"prompt_tokens":20,"completion_tokens":900`) + end, 20, 2, results.Opt[int32]{}, ByChunk, 1},
		"in every chunk": {head + `data: {"choices":[{"delta":{"content":"abc"}}],"usage":{"prompt_tokens":20,"completion_tokens":1}}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":"d"},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":3}}` + "\n\n" + end, 20, 3, results.Opt[int32]{}, ByUsage, 0},
	} {
		t.Run(name, func(t *testing.T) {
			rec, stats := ask(t, Config{URL: listen(t, always(tt.body)), API: Chat, Ending: Told})
			require.Equal(t, results.Completed, rec.Outcome, rec.Reason.V)
			require.Equal(t, int32(tt.prompt), rec.PromptTokens)
			require.Len(t, rec.Tokens, tt.tokens)
			require.Equal(t, tt.cached, rec.CachedTokens)
			require.Equal(t, map[Counting]int{tt.how: 1}, stats.Counted)
			require.Equal(t, tt.bad, stats.BadUsage)
		})
	}
}

// TestKeyIsSentAndNothingElse: the key goes into one header, and a client without
// one sends none.
func TestKeyIsSentAndNothingElse(t *testing.T) {
	for _, key := range []string{"", "k-123"} {
		var auth, accept []string
		url := listen(t, func(_ int, c *conn) {
			if r := c.request(); r != nil {
				auth, accept = r.Header["Authorization"], r.Header["Accept-Encoding"]
				c.write(head + content("a") + end)
			}
		})
		rec, _ := ask(t, Config{URL: url, API: Chat, Key: key})
		require.Equal(t, results.Completed, rec.Outcome)
		require.Empty(t, accept, "compression would hold chunks back")
		if key == "" {
			require.Empty(t, auth)
		} else {
			require.Equal(t, []string{"Bearer k-123"}, auth)
		}
	}
}
