package httptarget

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/cadence-bench/cadence-bench/results"
)

// refused is an answer with another status than 200. 429 and 503 say that the
// server turned the request away; everything else is a failure.
func (c *client) refused(resp *http.Response) answer {
	a := answer{outcome: results.Failed, at: c.now(), status: resp.StatusCode}
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable {
		a.outcome = results.Shed
	}
	a.reason = "HTTP " + strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
	if after := resp.Header.Get("Retry-After"); after != "" {
		a.reason += ", Retry-After " + excerpt([]byte(after))
	}
	if to := resp.Header.Get("Location"); to != "" {
		a.reason += ", Location " + redact(excerpt([]byte(to)))
	}
	if text := beginning(resp.Body); text != "" {
		a.reason += ": " + text
	}
	return a
}

// failed is a request that the network broke: before there was a stream (s is
// nil) or in the middle of it.
func (c *client) failed(err error, s *stream) answer {
	a := answer{outcome: results.Failed, at: c.now(), err: err, reason: cause(err)}
	if s == nil {
		a.reason += " before an answer"
		return a
	}
	a.status, a.usage, a.several = http.StatusOK, s.usage, s.multi
	a.reason += fmt.Sprintf(" in the middle of the stream (%d tokens)", s.told)
	return a
}

// exhausted says that this machine, and not the server, could not carry the
// request: it is out of file descriptors or of local ports.
func exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.EADDRNOTAVAIL)
}

// cause names what the network did, the same way on every system.
func cause(err error) string {
	var dns *net.DNSError
	var deadline net.Error
	switch {
	case exhausted(err):
		return "client out of connections: " + strings.TrimPrefix(innermost(err).Error(), "connect: ")
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case cut(err), strings.HasSuffix(err.Error(), "EOF"), strings.Contains(err.Error(), "server closed idle connection"):
		return "connection closed"
	case errors.As(err, &dns):
		return "host not found: " + dns.Name
	case errors.As(err, &deadline) && deadline.Timeout():
		return "network timeout: " + excerpt([]byte(innermost(err).Error()))
	}
	return excerpt([]byte(err.Error()))
}

func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
