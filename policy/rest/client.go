// Package rest speaks the HTTP that OpenVLA's deployment script and AutoEval made
// common, from both ends: POST /act takes an observation as json-numpy and answers
// with an action or a chunk of them; POST /reset begins a trial; GET /health says
// that the server is there.
package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"twinrig/policy/npwire"
)

// Options of a client. The zero value has no key and the system's certificates.
type Options struct {
	// APIKey, if any, goes into the header "Authorization: Bearer KEY".
	APIKey string
	TLS    *tls.Config
}

const (
	// maxAnswer bounds what a server may send, bytes.
	maxAnswer = 16 << 20
	// patience is how long a server may take to say that it is there, and to reset.
	patience = 10 * time.Second
)

// ErrServer is returned for an answer that is an error.
var ErrServer = errors.New("policy server reports an error")

// ErrProtocol is returned by a peer that speaks something else.
var ErrProtocol = errors.New("not an /act server")

// Client talks to one server. Its methods may be called from any goroutine.
type Client struct {
	act      *url.URL
	key      string
	http     *http.Client
	patience time.Duration
}

// New makes a client of a server by the address of its act, "http://host:8000/act";
// nothing is sent yet. Without a path it is /act.
func New(address string, o Options) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("rest: %q is not http://host:port/act", address)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/act"
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig, t.DisableCompression = o.TLS.Clone(), true
	t.Proxy = nil // a robot's policy is on the lab's own network
	return &Client{act: u, key: o.APIKey, http: &http.Client{Transport: t, CheckRedirect: noRedirect}, patience: patience}, nil
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Act sends an observation and returns the decoded answer: an action or a chunk, or
// whatever else the server made of it. How long that may take ctx alone says.
func (c *Client) Act(ctx context.Context, observation npwire.Object) (any, error) {
	body, err := npwire.JSON(observation)
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	data, err := c.do(ctx, http.MethodPost, c.act.Path, body)
	if err != nil {
		return nil, err
	}
	v, err := npwire.FromJSON(data)
	if v == "error" { // OpenVLA's script answers so, and logs why
		return nil, fmt.Errorf("rest: %s: %w: see its log", c.act, ErrServer)
	}
	if s, ok := v.(string); ok && err == nil { // encoded twice, as for OpenVLA's older clients
		v, err = npwire.FromJSON([]byte(s))
	}
	if err != nil {
		return nil, fmt.Errorf("rest: %s: %w: %w", c.act, ErrProtocol, err)
	}
	return v, nil
}

// Reset begins a trial. A server without /reset has nothing to forget. It takes at most
// ten seconds, or as long as ctx lasts.
func (c *Client) Reset(ctx context.Context) error {
	ctx, cancel := c.within(ctx)
	defer cancel()
	_, err := c.do(ctx, http.MethodPost, c.beside("reset"), []byte("{}"))
	if absent(err) {
		return nil
	}
	return err
}

// Health asks whether the server is there; one without /health is, if it answers.
// The metadata is what the answer says as a map, which may be nothing. It takes at most
// ten seconds, or as long as ctx lasts.
func (c *Client) Health(ctx context.Context) (metadata map[string]any, err error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	data, err := c.do(ctx, http.MethodGet, c.beside("health"), nil)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := npwire.FromJSON(data)
	if err != nil {
		return nil, nil //nolint:nilerr // some say OK in plain words
	}
	metadata, _ = v.(map[string]any)
	return metadata, nil
}

// within bounds ctx by the client's patience.
func (c *Client) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.patience, fmt.Errorf("no answer in %v: %w", c.patience, context.DeadlineExceeded))
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// beside is the path of another endpoint of the server.
func (c *Client) beside(name string) string { return path.Join(path.Dir(c.act.Path), name) }

// statusError is an answer with a status other than 200.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return fmt.Sprintf("HTTP %d: %s", e.status, e.text) }

func (e *statusError) Unwrap() error { return ErrServer }

func absent(err error) bool {
	var s *statusError
	// Python's http.server says 501 to a method that it has none for.
	return errors.As(err, &s) && slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, s.status)
}

func (c *Client) do(ctx context.Context, method, at string, body []byte) ([]byte, error) {
	u := *c.act
	u.Path = at
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err // it names the address once more
		}
		if strings.Contains(err.Error(), "malformed HTTP") {
			err = fmt.Errorf("%w: the answer is no HTTP: does another program have the port, or is it https?", ErrProtocol)
		}
		return nil, fmt.Errorf("rest: %s: %w", &u, err)
	}
	defer resp.Body.Close() //nolint:errcheck // it is read whole, or of no use
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("rest: %s: answer: %w", &u, err)
	case len(data) > maxAnswer:
		return nil, fmt.Errorf("rest: %s: %w: answer of more than %d MiB", &u, ErrProtocol, maxAnswer>>20)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("rest: %s: %w", &u, &statusError{resp.StatusCode, clip(data)})
	}
	return data, nil
}

// clip is the end of what a server says, where Python names the error, as one line.
func clip(b []byte) string {
	s := strings.Join(strings.Fields(string(b)), " ")
	if len(s) > 300 {
		s = "..." + s[len(s)-300:]
	}
	return s
}
