package httptarget

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/results"
)

// Facts are what a server says of itself.
type Facts struct {
	Models []string // of /v1/models, sorted
	Server string   // such as "vLLM 0.11.0" or "llama.cpp b6700"; "" when it does not say
	Slots  int      // llama-server's sequences; 0 when it does not say
	// Context is the tokens that one sequence may hold; 0 when it does not say.
	Context int
	// File is the base name of the model's file; "" when it does not say.
	File string
}

// Describe asks a server what it is. The error says, in one line, that nobody
// answers at its address or that it wants another key; what a server does not
// tell is left out.
func Describe(ctx context.Context, cfg Config) (Facts, error) {
	c := client{cfg: cfg, http: newTransport()}
	var f Facts
	var models struct {
		Data []struct {
			ID      string `json:"id"`
			Context int    `json:"max_model_len"`
		} `json:"data"`
	}
	if err := c.get(ctx, "/v1/models", &models); err != nil {
		return f, err
	}
	for _, m := range models.Data {
		f.Models = append(f.Models, m.ID)
		f.Context = max(f.Context, m.Context)
	}
	slices.Sort(f.Models)
	var props struct {
		Build    string `json:"build_info"`
		Path     string `json:"model_path"`
		Slots    int    `json:"total_slots"`
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if err := c.get(ctx, "/props", &props); err != nil {
		return f, err
	}
	if props.Build != "" || props.Path != "" {
		f.Server = strings.TrimSpace("llama.cpp " + props.Build)
		f.Slots, f.Context = props.Slots, props.Settings.Context
		f.File = path.Base(strings.ReplaceAll(props.Path, `\`, "/"))
		return f, nil
	}
	var version struct {
		Version string `json:"version"`
	}
	if err := c.get(ctx, "/version", &version); err != nil {
		return f, err
	}
	f.Server = excerpt([]byte(version.Version))
	return f, nil
}

// get reads JSON into v, which stays as it is when the server has no such path or
// answers with something else.
func (c *client) get(ctx context.Context, at string, v any) error {
	req, err := c.request(ctx, http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	resp, err := c.http.RoundTrip(req)
	if err != nil {
		return c.unreachable(ctx, err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s wants another key than CADENCE_API_KEY gives: HTTP %d", c.cfg.URL, resp.StatusCode)
	case http.StatusOK:
		data, err := io.ReadAll(io.LimitReader(resp.Body, maxEvent))
		if err == nil && json.Valid(data) && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
			json.Unmarshal(data, v) // a field of another type is one that it does not tell
		}
	}
	return nil
}

func (c *client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s does not answer: %w", c.cfg.URL, context.Cause(ctx))
	}
	return fmt.Errorf("%s cannot be reached: %s", c.cfg.URL, cause(err))
}

// Try asks a server for a short answer and returns an error, in one line, unless a
// whole one came. After it, a server that serves in order has no older request
// left.
func Try(ctx context.Context, cfg Config, p Prompt) error {
	cfg.Ending = ByLimit
	c := client{cfg: cfg, http: newTransport(), now: func() time.Duration { return 0 }}
	defer c.http.(*http.Transport).CloseIdleConnections()
	const tokens = 2
	body, err := cfg.body(p, tokens, 0)
	if err != nil {
		return err
	}
	a := c.exchange(ctx, body, bounds{tokens: tokens}, func(int, time.Duration) {})
	where := fmt.Sprintf("POST %s%s", cfg.URL, cfg.API.path())
	switch {
	case a.outcome == results.Completed:
		return nil
	case ctx.Err() != nil:
		return c.unreachable(ctx, a.err)
	case a.status == http.StatusNotFound, a.status == http.StatusMethodNotAllowed:
		return fmt.Errorf("%s: %s; is it another --api?", where, a.reason)
	case a.status == 0:
		return c.unreachable(ctx, a.err)
	}
	return fmt.Errorf("%s: %w", where, errors.New(a.reason))
}
