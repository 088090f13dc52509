package httptarget

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net"
	"net/http"
	"time"

	"github.com/cadence-bench/cadence-bench/results"
)

// client posts requests to one server.
type client struct {
	cfg  Config
	http http.RoundTripper
	now  func() time.Duration // any goroutine may call it
}

// idleTimeout closes connections that nobody uses sooner than servers do (5 s with
// uvicorn and llama-server), so that no request is sent into one that the server is
// about to close.
const idleTimeout = 2 * time.Second

// connBuffer is the size of a connection's buffers, each way, in bytes: events have some hundred,
// and a prompt that is longer is written past its buffer. With the 4 KB of net/http they were a
// third of what an outstanding request takes.
const connBuffer = 512

// newTransport has no limit on connections, for a limit would close the loop. It
// keeps every connection that may be needed again, asks for no compression, which
// would hold chunks back, and goes through the proxy that HTTP_PROXY, HTTPS_PROXY
// and NO_PROXY name, as curl does.
func newTransport() *http.Transport {
	dialer := net.Dialer{KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		DisableCompression:  true,
		MaxIdleConns:        0,
		MaxIdleConnsPerHost: 1 << 20,
		IdleConnTimeout:     idleTimeout,
		ReadBufferSize:      connBuffer,
		WriteBufferSize:     connBuffer,
	}
}

func (c *client) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.cfg.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "text/event-stream")
	}
	if c.cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	req.Header.Set("User-Agent", "cadence-bench")
	return req, nil
}

// answer is what became of a request.
type answer struct {
	outcome results.Outcome
	reason  string
	at      time.Duration
	usage   usage
	times   []time.Duration // of all tokens, when they differ from what was heard
	counted Counting        // "" when no stream ended well
	several int             // chunks that held more than one token
	status  int             // HTTP status; 0 when there was no answer
	err     error           // what broke the exchange, if the network or the client did
}

// bounds are where a client stops reading.
type bounds struct {
	tokens int // asked for
	stop   int // the client closes the connection at so many; 0 reads to the end
}

// exchange posts a request and reads the stream that answers it. heard is called
// with the number of output tokens and the time whenever some have come.
//
// Nothing is ever sent twice: a server that closes connections under load would
// otherwise be offered more than the tape holds, and its failures would be hidden.
func (c *client) exchange(ctx context.Context, body []byte, b bounds, heard func(n int, at time.Duration)) answer {
	req, err := c.request(ctx, http.MethodPost, c.cfg.API.path(), body)
	if err != nil {
		return c.failed(err, nil)
	}
	resp, err := c.http.RoundTrip(req)
	if err != nil {
		return c.failed(err, nil)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return c.refused(resp)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "" && kind != "text/event-stream" {
		return answer{outcome: results.Failed, at: c.now(), status: resp.StatusCode,
			reason: "the server answered with " + kind + " and not with a stream: " + beginning(resp.Body)}
	}
	s := stream{client: c, bounds: b, heard: heard, body: resp.Body, at: c.now()}
	return s.read()
}

// beginning reads a little of a body, for an error.
func beginning(r io.Reader) string {
	data, _ := io.ReadAll(io.LimitReader(r, 4096))
	return complaint(data)
}
