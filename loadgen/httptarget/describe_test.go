package httptarget

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pages serves fixed answers by path; other paths are 404.
func pages(t *testing.T, of map[string]string) string {
	mux := http.NewServeMux()
	for path, body := range of {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			if path != "/v1/models" {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			io.WriteString(w, body)
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestDescribe(t *testing.T) {
	for name, tt := range map[string]struct {
		pages map[string]string
		want  Facts
	}{
		"llama-server": {map[string]string{
			"/v1/models": `{"data":[{"id":"m.gguf"}]}`,
			"/props":     `{"build_info":"b6700-abc","model_path":"/srv/models/m.gguf","total_slots":4,"default_generation_settings":{"n_ctx":4096}}`,
		}, Facts{Models: []string{"m.gguf"}, Server: "llama.cpp b6700-abc", Slots: 4, Context: 4096, File: "m.gguf"}},
		"vLLM": {map[string]string{
			"/v1/models": `{"data":[{"id":"b","max_model_len":8192},{"id":"a"}]}`, "/version": `{"version":"0.11.0"}`,
		}, Facts{Models: []string{"a", "b"}, Server: "0.11.0", Context: 8192}},
		"one that tells nothing": {map[string]string{"/v1/models": `<html>`, "/props": `[]`}, Facts{}},
		"one that lies":          {map[string]string{"/props": `{"total_slots":"many"}`, "/version": `{"version":1}`}, Facts{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Describe(t.Context(), Config{URL: pages(t, tt.pages)})
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestTry(t *testing.T) {
	stream := content("a") + limit + end
	url := pages(t, map[string]string{"/v1/chat/completions": stream, "/v1/models": "{}"})
	require.NoError(t, Try(t.Context(), Config{URL: url, API: Chat}, Prompt{User: "Hello"}))
	require.EqualError(t, Try(t.Context(), Config{URL: url, API: Completions}, Prompt{User: "Hello"}),
		"POST "+url+"/v1/completions: HTTP 404 Not Found: 404 page not found; is it another --api?")

	broken := pages(t, map[string]string{"/completion": `data: {"error":{"message":"no model"}}` + "\n\n"})
	require.EqualError(t, Try(t.Context(), Config{URL: broken, API: Llama}, Prompt{User: "Hello"}),
		"POST "+broken+"/completion: the server says: no model (0 tokens)")
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l.Close()
	cfg := Config{URL: "http://" + l.Addr().String(), API: Chat}
	_, err = Describe(t.Context(), cfg)
	require.EqualError(t, err, cfg.URL+" cannot be reached: connection refused")
	require.EqualError(t, Try(t.Context(), cfg, Prompt{User: "Hello"}), cfg.URL+" cannot be reached: connection refused")

	cfg.URL = listen(t, func(_ int, c *conn) { c.gone() })
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Nanosecond, context.DeadlineExceeded)
	defer cancel()
	_, err = Describe(ctx, cfg)
	require.ErrorContains(t, err, cfg.URL+" does not answer: ")

	cfg.URL = listen(t, always("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
	_, err = Describe(t.Context(), cfg)
	require.EqualError(t, err, cfg.URL+" wants another key than CADENCE_API_KEY gives: HTTP 401")
}
