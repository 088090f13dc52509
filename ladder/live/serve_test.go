package live

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/browser"
)

func TestServeAddress(t *testing.T) {
	for given, want := range map[string]string{
		"8080": "127.0.0.1:8080", ":8080": "127.0.0.1:8080", "0": "127.0.0.1:0",
		"0.0.0.0:80": "0.0.0.0:80", "[::1]:9": "[::1]:9", "lab:8080": "lab:8080",
	} {
		got, err := serveAddress(given)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for given, want := range map[string]string{
		"": "not an address", "lab": "not an address", "70000": "not an address", "lab:http": "not a port", ":70000": "not a port",
	} {
		_, err := serveAddress(given)
		require.ErrorContains(t, err, want, given)
	}
}

// sweepInPlay stands in for a sweep: what there is to show, and how often a page of it
// was made.
type sweepInPlay struct {
	mu     sync.Mutex
	v      View
	made   int
	broken error
}

func (s *sweepInPlay) view() View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.v
}

func (s *sweepInPlay) set(v View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.v = v
}

func (s *sweepInPlay) render(version string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return []byte("page " + version), s.broken
}

func (s *sweepInPlay) renders() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made
}

func serving(t *testing.T, s *sweepInPlay, render func(string) ([]byte, error)) *server {
	l, err := newServer("0", s.view, render)
	require.NoError(t, err)
	l.tick, l.rest = time.Millisecond, 0
	l.start()
	return l
}

func get(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	require.NoError(t, err)
	defer r.Body.Close()
	require.Equal(t, http.StatusOK, r.StatusCode)
	data, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(data)
}

// TestServe: the page is made between cells and only for somebody, states are pushed as
// they change, and all ends with the sweep.
func TestServe(t *testing.T) {
	s := &sweepInPlay{v: View{Head: "0 of 2", All: 2}}
	l := serving(t, s, s.render)
	require.Equal(t, 1, s.renders())
	require.NoError(t, l.refresh())
	require.Equal(t, 2, s.renders(), "the first page is made for whoever comes")
	require.NoError(t, l.refresh())
	require.Equal(t, 2, s.renders(), "nobody came")
	require.Equal(t, "page 2", get(t, l.url()))
	require.Equal(t, "page 2", get(t, l.url()), "a reader costs no rendering")
	require.Equal(t, 2, s.renders())
	require.NoError(t, l.refresh())
	require.Equal(t, "page 3", get(t, l.url()))

	r, err := http.Get(l.url() + "nothing")
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, http.StatusNotFound, r.StatusCode)

	r, err = http.Get(l.url() + "events")
	require.NoError(t, err)
	defer r.Body.Close()
	require.Equal(t, "text/event-stream", r.Header.Get("Content-Type"))
	lines := bufio.NewScanner(r.Body)
	next := func() (e event) {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				require.NoError(t, json.Unmarshal([]byte(data), &e))
				return e
			}
		}
		t.Fatal("the stream has ended")
		return e
	}
	first := next()
	require.Equal(t, "0 of 2", first.Head)
	require.Equal(t, "3", first.Version)
	s.set(View{Head: "1 of 2", All: 2, Done: 1})
	require.Equal(t, "1 of 2", next().Head)
	require.NoError(t, l.refresh(), "somebody watches")
	require.Equal(t, "4", next().Version)

	s.broken = errors.New("unreadable")
	require.ErrorContains(t, l.refresh(), "the live page could not be made: unreadable")
	require.Equal(t, "page 4", get(t, l.url()), "the last one that could be")
	s.broken = nil

	closed := make(chan error)
	go func() { closed <- l.close() }()
	for e := next(); !e.Over; e = next() {
	}
	require.Equal(t, "page 5", get(t, l.url()), "there is a moment to fetch the last one")
	require.NoError(t, <-closed)
	require.False(t, lines.Scan() && lines.Text() != "", "the stream ends")
	_, err = http.Get(l.url())
	require.Error(t, err)
}

// TestServeRests: cells that end faster than a page is made of them do not make one each.
func TestServeRests(t *testing.T) {
	s := &sweepInPlay{}
	l := serving(t, s, s.render)
	l.made, l.took, l.rest = time.Now(), time.Hour, 10
	get(t, l.url())
	require.NoError(t, l.refresh())
	require.Equal(t, 1, s.renders())
	l.took = 0
	require.NoError(t, l.refresh())
	require.Equal(t, 2, s.renders(), "it is still wanted")
	require.NoError(t, l.close())
}

// TestServeNobody: a sweep that nobody watches is not kept waiting at its end.
func TestServeNobody(t *testing.T) {
	s := &sweepInPlay{}
	l := serving(t, s, s.render)
	require.NoError(t, l.close())
	require.Equal(t, 1, s.renders())
}

// TestServeInABrowser: the page follows the sweep without being loaded again.
func TestServeInABrowser(t *testing.T) {
	p := browser.Open(t)
	s := &sweepInPlay{v: View{Head: "0 of 20 cells", All: 20, Now: []string{"fifo starting"}}}
	l := serving(t, s, func(version string) ([]byte, error) {
		return pageOf("../../results/runs/ladder", s.view(), version)
	})
	p.Do(t, chromedp.Navigate(l.url()))
	p.Wait(t, `document.querySelector("#live progress") !== null`)
	text := func(selector string) string {
		return browser.Eval[string](t, p, `document.querySelector("`+selector+`").textContent`)
	}
	require.Contains(t, text("#live"), "0 of 20 cells")
	require.Contains(t, text("#live"), "fifo starting")
	require.Contains(t, text("main"), "No cell is finished yet")
	p.Do(t, chromedp.Evaluate(`window.same = true`, nil))

	s.set(View{Head: "20 of 20 cells", All: 20, Done: 20, Rungs: Table{Columns: []string{"rung", "cells"}, Rows: [][]string{{"fifo", "5/5"}}}})
	require.NoError(t, l.refresh())
	p.Wait(t, `document.querySelector("#charts svg.chart .point[aria-label]") !== null && document.querySelector("#live tbody th") !== null`)
	require.Equal(t, "The ladder on cadence-30m-q8_0-s1", text("h1"))
	require.Equal(t, "fifo", text("#live tbody th"))
	require.True(t, browser.Eval[bool](t, p, `window.same`), "the page itself was not loaded again")

	// What a person chose survives the next report: an order, a hidden rung, the focus.
	const button, key = "#short thead th:nth-child(2) button", `#chart-goodput button.key[data-key="static"]`
	press := func(selector string) {
		p.Do(t, chromedp.Evaluate("{ const e = document.querySelector('"+selector+"'); e.focus(); e.click(); }", nil))
	}
	press(key)
	press(button)
	press(button)
	p.Do(t, chromedp.Evaluate(`document.querySelector("main").marked = true`, nil))
	require.NoError(t, l.refresh())
	p.Wait(t, `document.querySelector("main").marked === undefined && document.querySelector("main .point[aria-label]") !== null`)
	require.Equal(t, "descending", browser.Eval[string](t, p, `document.querySelector("#short thead th:nth-child(2)").getAttribute("aria-sort")`))
	require.Equal(t, "false", browser.Eval[string](t, p, "document.querySelector('"+key+"').getAttribute('aria-pressed')"))
	require.True(t, browser.Eval[bool](t, p, `document.activeElement === document.querySelector("`+button+`")`))

	require.NoError(t, l.close())
	p.Wait(t, `document.querySelector("#live h2").textContent === "Finished"`)
	require.Empty(t, p.Errors())
	for _, r := range p.Requests() {
		require.True(t, strings.HasPrefix(r, l.url()), r)
	}
}
