package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// server serves the report of a sweep while it runs. The page is made between cells
// and kept: during a cell the server only copies bytes that are there, and while somebody
// watches encodes a View once a second, so that the measurement has the machine to itself.
type server struct {
	view func() View
	// render makes the page of the cells that are finished, for this version of it.
	render func(version string) ([]byte, error)
	tick   time.Duration // between two states that are pushed
	// rest is how many times as long as making the page took it is left alone: a
	// simulation ends many cells a second.
	rest int

	listener net.Listener
	http     http.Server
	over     chan struct{} // closed when the sweep is over

	mu      sync.Mutex
	page    []byte
	version int
	wanted  bool // somebody has asked for the page since it was made
	made    time.Time
	took    time.Duration // to make it
	streams int           // that are open
	caught  int           // streams whose reader has the last version, once the sweep is over
}

// The states of a page that nobody reads any more are given up after this long.
const lastLook = 3 * time.Second

// serveAddress completes an address of which only a port is given: this machine's own.
func serveAddress(s string) (string, error) {
	if _, err := strconv.ParseUint(s, 10, 16); err == nil {
		s = ":" + s
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "", fmt.Errorf("--serve: %q is not an address: give a port, such as 8080, or HOST:PORT", s)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("--serve: %q is not a port from 0 to 65535", port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// newServer listens at an address at once, so that a port in use is known before
// anything is measured.
func newServer(address string, view func() View, render func(version string) ([]byte, error)) (*server, error) {
	address, err := serveAddress(address)
	if err != nil {
		return nil, err
	}
	l := &server{view: view, render: render, tick: time.Second, rest: 10, over: make(chan struct{})}
	if l.listener, err = net.Listen("tcp", address); err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, fmt.Errorf("--serve: cannot listen at %s (%w): give another port, or 0 for any that is free", address, err)
	}
	if err := l.make(); err != nil {
		return nil, err
	}
	l.wanted = true // whoever comes first is shown more than the empty page
	l.http.Handler = l.handler()
	l.http.ReadHeaderTimeout = 10 * time.Second
	return l, nil
}

// start begins to serve, until close.
func (l *server) start() { go l.http.Serve(l.listener) }

// url is where the page is.
func (l *server) url() string { return "http://" + l.listener.Addr().String() + "/" }

func (l *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", l.servePage)
	mux.HandleFunc("GET /events", l.serveEvents)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return mux
}

func (l *server) servePage(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.wanted = true
	page := l.page
	l.mu.Unlock()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(page)))
	if _, err := w.Write(page); err != nil {
		return // the reader has gone
	}
	select {
	case <-l.over:
		l.mu.Lock()
		l.caught++
		l.mu.Unlock()
	default:
	}
}

// event is a View with the version of the page that there is.
type event struct {
	View
	Version string `json:"version"`
}

func (l *server) state() (data []byte, over bool, err error) {
	select {
	case <-l.over:
		over = true
	default:
	}
	e := event{View: l.view()}
	e.Over = over
	l.mu.Lock()
	e.Version = strconv.Itoa(l.version)
	l.mu.Unlock()
	data, err = json.Marshal(e)
	return data, over, err
}

// serveEvents pushes the state whenever it differs from the last one that was pushed.
func (l *server) serveEvents(w http.ResponseWriter, r *http.Request) {
	l.count(1)
	defer l.count(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w).Flush
	ticks := time.NewTicker(l.tick)
	defer ticks.Stop()
	last := ""
	for {
		data, over, err := l.state()
		if err != nil {
			return
		}
		if text := string(data); text != last {
			last = text
			if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || flush() != nil {
				return // the reader has gone
			}
		}
		if over {
			return
		}
		select {
		case <-ticks.C:
		case <-l.over:
		case <-r.Context().Done():
			return
		}
	}
}

func (l *server) count(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams += n
}

// refresh makes the page again if somebody reads it. It is called between cells.
func (l *server) refresh() error {
	l.mu.Lock()
	read := l.wanted || l.streams > 0
	resting := time.Since(l.made) < time.Duration(l.rest)*l.took
	l.mu.Unlock()
	if !read || resting {
		return nil
	}
	return l.make()
}

// make makes the page, and collects what garbage that left before the next cell begins.
func (l *server) make() error {
	l.mu.Lock()
	version := l.version + 1
	l.wanted = false
	l.mu.Unlock()
	began := time.Now()
	page, err := l.render(strconv.Itoa(version))
	if err != nil {
		return fmt.Errorf("the live page could not be made: %w", err)
	}
	runtime.GC()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.page, l.version = page, version
	l.made, l.took = time.Now(), time.Since(began)
	return nil
}

// close tells whoever reads the page that the sweep is over, gives them a moment to
// fetch its last version, and stops serving.
func (l *server) close() error {
	l.mu.Lock()
	readers := l.streams
	l.mu.Unlock()
	var err error
	if readers > 0 {
		err = l.make()
	}
	close(l.over)
	deadline := time.Now().Add(lastLook)
	for readers > 0 && time.Now().Before(deadline) {
		l.mu.Lock()
		caught := l.caught
		l.mu.Unlock()
		if caught >= readers {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastLook)
	defer cancel()
	return errors.Join(err, l.http.Shutdown(ctx))
}
