package httptarget

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// conn is a connection of a server that is played byte for byte.
type conn struct {
	net.Conn
	in *bufio.Reader
}

// request reads the next request, or returns nil when the client has closed.
func (c *conn) request() *http.Request {
	r, err := http.ReadRequest(c.in)
	if err != nil {
		return nil
	}
	io.Copy(io.Discard, r.Body)
	return r
}

func (c *conn) write(s string) { io.WriteString(c, s) }

// reset closes the connection so that the other side sees a reset.
func (c *conn) reset() {
	c.Conn.(*net.TCPConn).SetLinger(0)
	c.Close()
}

// listen plays every connection on a loopback socket with play, and returns its
// address. A connection is closed when play returns.
func listen(t *testing.T, play func(n int, c *conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var players sync.WaitGroup
	players.Go(func() {
		for n := 0; ; n++ {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			players.Go(func() {
				defer nc.Close()
				play(n, &conn{nc, bufio.NewReader(nc)})
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		players.Wait()
	})
	return "http://" + l.Addr().String()
}

const (
	head  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n"
	end   = "data: [DONE]\n\n"
	role  = `data: {"choices":[{"delta":{"role":"assistant","content":""}}]}` + "\n\n"
	limit = `data: {"choices":[{"delta":{},"finish_reason":"length"}]}` + "\n\n"
)

func content(text string) string {
	return `data: {"choices":[{"delta":{"content":"` + text + `"}}]}` + "\n\n"
}

// always answers every request of every connection with the same bytes.
func always(response string) func(int, *conn) {
	return func(_ int, c *conn) {
		if c.request() != nil {
			c.write(response)
		}
	}
}

// tapeOf makes a tape of n requests that arrive gap after one another.
func tapeOf(n int, gap time.Duration) *loadgen.Tape {
	tape := &loadgen.Tape{Workload: "test", RPS: 1, Duration: time.Hour}
	for i := range n {
		tape.Requests = append(tape.Requests, loadgen.Request{Index: i, At: time.Duration(i) * gap, Class: "unique", Group: -1,
			System: "You are brief.", User: "Why?", MaxTokens: 8, StopTokens: 3})
	}
	return tape
}

func textOf(r *loadgen.Request) Prompt { return Prompt{System: r.System, User: r.User} }

// offer drives a tape to a target on clk and returns the records. They are such
// as a measured cell could have.
func offer(t *testing.T, clk *clock.Wall, target *Target, tape *loadgen.Tape, timeout time.Duration) []results.Record {
	t.Helper()
	d, err := loadgen.NewDriver(clk, tape, target, loadgen.DriverConfig{Timeout: timeout, Scripted: true, Done: clk.Stop})
	require.NoError(t, err)
	clk.At(0, d.Start)
	require.NoError(t, clk.Run(t.Context()))
	target.Close()
	require.Zero(t, d.Late())
	require.Empty(t, results.Violations(d.Records()))
	return d.Records()
}

// ask offers one request to a server, in real time.
func ask(t *testing.T, cfg Config) (results.Record, Stats) {
	t.Helper()
	clk := clock.NewFineWall()
	target := New(clk, cfg, textOf)
	rec := offer(t, clk, target, tapeOf(1, 0), time.Hour)[0]
	return rec, target.Stats()
}

// pipes makes a server of a synctest bubble: each connection is a pair of pipes,
// so that nothing happens outside the bubble.
func pipes(target *Target, play func(n int, c *conn)) {
	n := 0
	var mu sync.Mutex
	target.http.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		ours, theirs := net.Pipe()
		k := n
		n++
		go func() {
			defer theirs.Close()
			play(k, &conn{theirs, bufio.NewReader(theirs)})
		}()
		return ours, nil
	}
}

// gone reads from a connection until the client closes it.
func (c *conn) gone() error {
	_, err := io.Copy(io.Discard, c.in)
	if err == nil || errors.Is(err, net.ErrClosed) || strings.Contains(err.Error(), "reset") {
		return nil
	}
	return err
}
