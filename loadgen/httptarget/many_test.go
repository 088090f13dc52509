package httptarget

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/results"
)

// gate lets nobody through before n have come.
func gate(n int) func() {
	var here sync.WaitGroup
	here.Add(n)
	return func() { here.Done(); here.Wait() }
}

// TestNothingCapsOutstandingRequests names guidellm#487, where each worker silently
// stops at 100 in flight, and inference-benchmarker#21, where one client tops out,
// and vllm#21104, where the requested rate was never sent: a server that answers
// nobody before everybody has come still answers everybody.
func TestNothingCapsOutstandingRequests(t *testing.T) {
	const n = 600
	wait := gate(n)
	url := listen(t, func(_ int, c *conn) {
		if c.request() != nil {
			wait()
			c.write(head + content("a") + limit + end)
		}
	})
	clk := clock.NewFineWall()
	recs := offer(t, clk, New(clk, Config{URL: url, API: Chat, Ending: Told}, textOf), tapeOf(n, 0), time.Hour)
	for _, r := range recs {
		require.Equal(t, results.Completed, r.Outcome, r.Reason.V)
	}
}

// TestHTTP2IsNotCappedEither: a server that allows two streams on a connection is
// given more connections.
func TestHTTP2IsNotCappedEither(t *testing.T) {
	const n = 20
	wait := gate(n)
	protocols := make(chan string, n)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocols <- r.Proto
		wait()
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write([]byte(content("a") + limit + end))
	}))
	server.EnableHTTP2 = true
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 2}
	server.StartTLS()
	defer server.Close()
	clk := clock.NewFineWall()
	target := New(clk, Config{URL: server.URL, API: Chat, Ending: Told}, textOf)
	target.http.(*http.Transport).TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	for _, r := range offer(t, clk, target, tapeOf(n, 0), time.Hour) {
		require.Equal(t, results.Completed, r.Outcome, r.Reason.V)
	}
	for range n {
		require.Equal(t, "HTTP/2.0", <-protocols)
	}
}

// TestConnectionsAreReused: requests that follow one another take one connection,
// and each is sent once (a client that sends again hides failures).
func TestConnectionsAreReused(t *testing.T) {
	var mu sync.Mutex
	connections, requests := map[string]bool{}, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		connections[r.RemoteAddr] = true
		requests++
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write([]byte(content("a") + limit + end))
	}))
	defer server.Close()
	for range 10 {
		require.NoError(t, tryAll(t, server.URL))
	}
	require.Len(t, connections, 1)
	require.Equal(t, 10, requests)
}

// shared is one client for every call of tryAll.
var shared = newTransport()

func tryAll(t *testing.T, url string) error {
	c := client{cfg: Config{URL: url, API: Chat, Ending: ByLimit}, http: shared, now: func() time.Duration { return 0 }}
	body, err := c.cfg.body(Prompt{User: "Why?"}, 3, 0)
	require.NoError(t, err)
	a := c.exchange(context.Background(), body, bounds{tokens: 3}, func(int, time.Duration) {})
	require.Equal(t, results.Completed, a.outcome, a.reason)
	return nil
}

// TestNothingIsSentTwice: a server that hangs up on a connection that it has used
// before has failed that request, and is not asked again.
func TestNothingIsSentTwice(t *testing.T) {
	var mu sync.Mutex
	requests := 0
	url := listen(t, func(_ int, c *conn) {
		for k := 0; c.request() != nil; k++ {
			mu.Lock()
			requests++
			mu.Unlock()
			if k == 1 {
				return
			}
			body := content("a") + end
			c.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
			c.write(strconv.FormatInt(int64(len(body)), 16) + "\r\n" + body + "\r\n0\r\n\r\n")
		}
	})
	tr := newTransport()
	ask := func() answer {
		c := client{cfg: Config{URL: url, API: Chat, Ending: ByLimit}, http: tr, now: func() time.Duration { return 0 }}
		return c.exchange(t.Context(), []byte("{}"), bounds{tokens: 3}, func(int, time.Duration) {})
	}
	require.Equal(t, results.Completed, ask().outcome)
	second := ask()
	require.Equal(t, results.Failed, second.outcome)
	require.Equal(t, "connection closed before an answer", second.reason)
	tr.CloseIdleConnections()
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, 2, requests)
}
