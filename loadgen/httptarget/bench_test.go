package httptarget

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/results"
)

// stubVariable makes this test program a server instead: "stream" answers every
// request with a short stream, "hold" with nothing.
const stubVariable = "CADENCE_TEST_STUB"

func TestMain(m *testing.M) {
	if mode := os.Getenv(stubVariable); mode != "" {
		runStub(mode)
		return
	}
	os.Exit(m.Run())
}

const stubTokens = 8

// stubAnswer is what the stub writes, one call of write for each string: a token
// each, and the end with the last.
func stubAnswer() []string {
	chunk := func(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }
	parts := make([]string, stubTokens)
	for i := range parts {
		parts[i] = chunk(content("a"))
	}
	parts[0] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + parts[0]
	parts[stubTokens-1] = parts[stubTokens-1] + chunk(limit+end) + "0\r\n\r\n"
	return parts
}

// runStub serves until its standard input closes. It reads no more of a request
// than where it ends.
func runStub(mode string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	answer := stubAnswer()
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer nc.Close()
				in := bufio.NewReaderSize(nc, 1024)
				for skipRequest(in) == nil {
					if mode == "hold" {
						io.Copy(io.Discard, in)
						return
					}
					for _, part := range answer {
						io.WriteString(nc, part)
					}
				}
			}()
		}
	}()
	io.Copy(io.Discard, os.Stdin)
}

func skipRequest(in *bufio.Reader) error {
	length := 0
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			fmt.Sscan(n, &length)
		}
		if line == "\r\n" {
			_, err := in.Discard(length)
			return err
		}
	}
}

// cpuOf is the CPU time that a process has taken, from /proc; 0 where there is none.
func cpuOf(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	var user, system int64
	fmt.Sscan(fields[11], &user)
	fmt.Sscan(fields[12], &system)
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100
}

// stubs are the processes of the stubs, by address.
var stubs sync.Map

// startStub starts the stub in a process of its own and returns its address.
func startStub(b *testing.B, mode string) string {
	self, err := os.Executable()
	require.NoError(b, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), stubVariable+"="+mode)
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() { in.Close(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(b, err)
	url := "http://" + strings.TrimSpace(line)
	stubs.Store(url, cmd.Process.Pid)
	return url
}

// inProcess answers within Send.
type inProcess struct{ clk *clock.Wall }

func (t inProcess) Send(_ *loadgen.Request, to loadgen.Sink) func() {
	now := t.clk.Time()
	to.Sent(now)
	to.Token(now)
	to.Done(results.Completed, "", now)
	return nil
}

// pending never answers.
type pending struct{}

func (pending) Send(*loadgen.Request, loadgen.Sink) func() { return nil }

func benchTape(at []time.Duration) *loadgen.Tape {
	tape := &loadgen.Tape{Workload: "bench", RPS: 1, Duration: time.Hour}
	for i, t := range at {
		tape.Requests = append(tape.Requests, loadgen.Request{Index: i, At: t, Class: "unique", Group: -1, User: "Why?",
			MaxTokens: stubTokens, StopTokens: stubTokens})
	}
	return tape
}

// lagAt offers a rate for a second or so and returns the median and the p99
// dispatch lag. Every request must have been answered.
func lagAt(b *testing.B, rate float64, seed uint64, target func(*clock.Wall) loadgen.Target) (p50, p99 time.Duration) {
	tape := benchTape(arrival.Poisson(rate, seed, 1500*time.Millisecond))
	clk := clock.NewFineWall()
	d, err := loadgen.NewDriver(clk, tape, target(clk), loadgen.DriverConfig{Timeout: time.Minute, Done: clk.Stop})
	require.NoError(b, err)
	clk.At(0, d.Start)
	runtime.GC()
	require.NoError(b, clk.Run(b.Context()))
	lags := make([]time.Duration, len(tape.Requests))
	for i, r := range d.Records() {
		require.Equal(b, results.Completed, r.Outcome, r.Reason.V)
		lags[i] = r.Sent.V - r.Intended
	}
	slices.Sort(lags)
	at := func(p float64) time.Duration { return lags[int(math.Ceil(p*float64(len(lags))))-1] }
	return at(0.5), at(0.99)
}

// streams returns a target that is a stub in another process. Connections are kept
// from one try to the next.
func streams(b *testing.B) func(*clock.Wall) loadgen.Target {
	return streamsOf(startStub(b, "stream"))
}

func streamsOf(url string) func(*clock.Wall) loadgen.Target {
	transport := newTransport()
	return func(clk *clock.Wall) loadgen.Target {
		t := New(clk, Config{URL: url, API: Chat, Ending: Told}, textOf)
		t.http = transport
		return t
	}
}

// BenchmarkLoad finds the highest rate of Poisson arrivals that one process offers
// with a p99 dispatch lag below 1 ms: to a target that answers at once in this
// process, and over loopback to a stub in another process that streams eight tokens
// with a write for each. A rate is met if it is in one of three tries, for the
// machine has other users.
func BenchmarkLoad(b *testing.B) {
	const most = time.Millisecond
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // as in a cell
	search := func(b *testing.B, from float64, target func(*clock.Wall) loadgen.Target) {
		best, lag := 0.0, time.Duration(0)
		meets := func(rate float64) bool {
			for try := range uint64(3) {
				if _, l := lagAt(b, rate, try+1, target); l < most {
					if rate > best {
						best, lag = rate, l
					}
					return true
				}
			}
			return false
		}
		for b.Loop() {
			lo, hi := from/2, from
			for meets(hi) {
				lo, hi = hi, 2*hi
			}
			for lo > 0 && best == 0 && !meets(lo) {
				lo, hi = lo/2, lo
			}
			for range 4 {
				if mid := math.Sqrt(lo * hi); meets(mid) {
					lo = mid
				} else {
					hi = mid
				}
			}
		}
		b.ReportMetric(best, "requests/s")
		b.ReportMetric(lag.Seconds()*1e3, "p99-lag-ms")
		b.ReportMetric(0, "ns/op")
	}
	b.Run("in-process", func(b *testing.B) {
		search(b, 25_000, func(clk *clock.Wall) loadgen.Target { return inProcess{clk} })
	})
	b.Run("http", func(b *testing.B) { search(b, 1_000, streams(b)) })
	for _, rate := range []float64{1000, 2000, 5000} { // best of three, as above
		b.Run(fmt.Sprintf("http/rate=%g", rate), func(b *testing.B) {
			target := streams(b)
			lagAt(b, rate, 9, target) // opens the connections
			var p50, p99 time.Duration
			for b.Loop() {
				p99 = time.Hour
				for try := range uint64(3) {
					if m, l := lagAt(b, rate, try+1, target); l < p99 {
						p50, p99 = m, l
					}
				}
			}
			b.ReportMetric(rate, "requests/s")
			b.ReportMetric(p50.Seconds()*1e3, "p50-lag-ms")
			b.ReportMetric(p99.Seconds()*1e3, "p99-lag-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkRequest says what a request of eight tokens costs in CPU time, apart on either side
// of the connection: at a rate that both can do, what this process takes and what the stub does.
// A processor's time over the former is what one processor of the client's could offer.
func BenchmarkRequest(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	url := startStub(b, "stream")
	pid, _ := stubs.Load(url)
	target := streamsOf(url)
	const rate = 2000
	lagAt(b, rate, 9, target) // opens the connections
	for b.Loop() {
		mine, its, n := cpuOf(os.Getpid()), cpuOf(pid.(int)), 0
		for try := range uint64(5) {
			n += len(arrival.Poisson(rate, try+1, 1500*time.Millisecond))
			lagAt(b, rate, try+1, target)
		}
		mine, its = cpuOf(os.Getpid())-mine, cpuOf(pid.(int))-its
		us := func(d time.Duration) float64 { return d.Seconds() * 1e6 / float64(n) }
		b.ReportMetric(us(mine), "client-µs/request")
		b.ReportMetric(us(its), "stub-µs/request")
		if mine > 0 {
			b.ReportMetric(1e6/us(mine), "client-requests/s")
		}
	}
	b.ReportMetric(0, "ns/op")
}

func memory() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// BenchmarkOutstanding measures what an outstanding request takes of this process's
// memory, its text apart: without an answer, and with the first of 8 tokens. Over
// HTTP/1.1 each has a connection of its own.
func BenchmarkOutstanding(b *testing.B) {
	measure := func(b *testing.B, n int, target func(*clock.Wall) (loadgen.Target, func() bool)) {
		for b.Loop() {
			at := make([]time.Duration, n)
			for i := range at { // 20,000 a second
				at[i] = time.Duration(i) * 50 * time.Microsecond
			}
			tape := benchTape(at)
			clk := clock.NewFineWall()
			to, here := target(clk)
			before := memory()
			d, err := loadgen.NewDriver(clk, tape, to, loadgen.DriverConfig{Timeout: time.Hour, Done: clk.Stop})
			require.NoError(b, err)
			clk.At(0, d.Start)
			var look func()
			look = func() {
				if d.Counts().Sent == n && here() {
					clk.Stop()
					return
				}
				clk.At(clk.Now()+50*time.Millisecond, look)
			}
			clk.At(0, look)
			require.NoError(b, clk.Run(b.Context()))
			require.Zero(b, d.Counts().Finished)
			b.ReportMetric((memory()-before)/float64(n), "B/request")
			b.ReportMetric(float64(n), "outstanding")
			b.ReportMetric(0, "ns/op")
			if t, ok := to.(*Target); ok {
				t.Close()
			}
			runtime.KeepAlive(d)
		}
	}
	b.Run("in-process", func(b *testing.B) {
		measure(b, 50_000, func(*clock.Wall) (loadgen.Target, func() bool) { return pending{}, func() bool { return true } })
	})
	b.Run("http", func(b *testing.B) {
		url := startStub(b, "hold")
		measure(b, 8_000, func(clk *clock.Wall) (loadgen.Target, func() bool) {
			t := New(clk, Config{URL: url, API: Chat, Ending: Told}, textOf)
			var connected atomic.Int64
			transport := newTransport()
			dial := transport.DialContext
			transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				c, err := dial(ctx, network, addr)
				connected.Add(1)
				return c, err
			}
			t.http = transport
			return t, func() bool { return connected.Load() == 8_000 }
		})
	})
}
