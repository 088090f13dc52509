package httptarget

import (
	"fmt"
	"net/url"
	"strings"
)

// API is the protocol that a server speaks.
type API string

// The protocols.
const (
	Chat        API = "chat"        // OpenAI's POST /v1/chat/completions
	Completions API = "completions" // OpenAI's POST /v1/completions
	Llama       API = "llama"       // llama-server's own POST /completion
)

// ParseAPI returns the protocol that s names.
func ParseAPI(s string) (API, error) {
	switch a := API(s); a {
	case Chat, Completions, Llama:
		return a, nil
	}
	return "", fmt.Errorf("unknown API %q; choose chat, completions or llama", s)
}

// path is where requests are posted.
func (a API) path() string {
	switch a {
	case Chat:
		return "/v1/chat/completions"
	case Completions:
		return "/v1/completions"
	default:
		return "/completion"
	}
}

// Ending says who ends an answer, and what the server is told of its length.
type Ending string

const (
	// Told asks for exactly the tape's StopTokens and for the model's own end to be
	// ignored: the server sees the true length, as its admission or scheduler might
	// use it.
	Told Ending = "told"
	// Closed asks for MaxTokens and closes the connection at StopTokens, as a client
	// does that has read enough: the length stays hidden, and the server pays for
	// the closed connection and for what it computes before it notices.
	Closed Ending = "closed"
	// ByLimit asks for MaxTokens and for the model's own end to be ignored.
	ByLimit Ending = "limit"
	// ByModel asks for at most MaxTokens and leaves the end to the model.
	ByModel Ending = "model"
)

// Config is a server and how it is asked.
type Config struct {
	URL string // as ParseURL returns it
	API API
	// Model goes into every request; servers of a single model need none.
	Model string
	// Key is sent as a bearer token, unless it is empty.
	Key         string
	Ending      Ending
	Temperature float64
}

// ParseURL checks the address of a server and returns it without a trailing slash
// or /v1, which the paths of the API add. It refuses addresses with credentials,
// which would be kept with the results.
func ParseURL(s string) (string, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%q is not the address of a server; give one such as http://localhost:8080", redact(s))
	case u.User != nil:
		return "", fmt.Errorf("%q has credentials, which would be kept with the results; give a key in the environment as CADENCE_API_KEY", redact(s))
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%q has a query or a fragment; give the server's address alone, such as %s://%s", redact(s), u.Scheme, u.Host)
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/v1")
	return strings.TrimSuffix(u.String(), "/"), nil
}

// redact hides what may be a secret in an address that is shown.
func redact(s string) string {
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	at := strings.LastIndex(s, "@")
	if at < 0 {
		return s
	}
	scheme, _, ok := strings.Cut(s[:at], "://")
	if !ok {
		return "…" + s[at:]
	}
	return scheme + "://…" + s[at:]
}
