// Package openpi speaks openpi's WebSocket protocol, from both ends: the server's
// first frame is its metadata, then each binary frame with an observation is
// answered by one with actions; a text frame is an error and the end. Sources:
// openpi, src/openpi/serving/websocket_policy_server.py, and its openpi-client.
package openpi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"twinrig/policy/npwire"
)

// Options of a client. The zero value has no key and the system's certificates.
type Options struct {
	// APIKey, if any, goes into the header "Authorization: Api-Key KEY".
	APIKey string
	TLS    *tls.Config

	// dial is the network, where a test has one of its own.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

const (
	// maxFrame bounds what a server may send, bytes: a chunk of 256 actions is
	// some 15 kB, metadata little more.
	maxFrame = 16 << 20
	// helloTimeout bounds the handshake and the wait for the metadata.
	helloTimeout = 10 * time.Second
	// goodbye bounds how long the closing frame may take.
	goodbye = 100 * time.Millisecond
)

// ErrServer is returned for what a server says in a text frame.
var ErrServer = errors.New("policy server reports an error")

// ErrProtocol is returned by a peer that speaks something else.
var ErrProtocol = errors.New("not openpi's protocol")

// Client is one connection to a server. One goroutine uses it at a time; Close may
// be called by any.
type Client struct {
	url      string
	conn     *websocket.Conn
	metadata map[string]any
	in       chan message
	gone     chan struct{}
	closing  sync.Once
	owed     int // answers to requests that were given up
}

type message struct {
	data []byte
	err  error
}

// Dial connects to a server, "ws://host:8000" or wss, and reads its metadata. It
// takes at most ten seconds, or as long as ctx lasts.
func Dial(ctx context.Context, address string, o Options) (*Client, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, helloTimeout, fmt.Errorf("no answer in %v: %w", helloTimeout, context.DeadlineExceeded))
	defer cancel()
	header := http.Header{}
	if o.APIKey != "" {
		header.Set("Authorization", "Api-Key "+o.APIKey)
	}
	d := websocket.Dialer{TLSClientConfig: o.TLS.Clone(), NetDialContext: o.dial}
	if o.dial == nil {
		d.NetDialContext = (&net.Dialer{}).DialContext
	}
	conn, resp, err := d.DialContext(ctx, address, header)
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close() //nolint:errcheck // nothing is read from it
	}
	if err != nil {
		return nil, fmt.Errorf("openpi: %w", explain(ctx, address, resp, err))
	}
	conn.SetReadLimit(maxFrame)
	c := &Client{url: address, conn: conn, in: make(chan message), gone: make(chan struct{})}
	go c.read()
	v, err := c.next(ctx)
	if err == nil {
		c.metadata, err = dict(v)
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("openpi: %s: metadata: %w", address, err)
	}
	return c, nil
}

// explain says what a failed handshake means.
func explain(ctx context.Context, address string, resp *http.Response, err error) error {
	u, parseErr := url.Parse(address)
	switch {
	case parseErr != nil:
		return parseErr
	case resp != nil && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden):
		return fmt.Errorf("%s: HTTP %s: is the API key right?", address, resp.Status)
	case resp != nil && resp.StatusCode == http.StatusServiceUnavailable:
		said, _ := io.ReadAll(resp.Body) // 1 kB at most
		return fmt.Errorf("%s: HTTP %s: %s", address, resp.Status, lastLine(string(said)))
	case resp != nil:
		return fmt.Errorf("%s: %w: HTTP %s in place of a WebSocket: does another program have the port?", address, ErrProtocol, resp.Status)
	case overdue(ctx): // also where half a line had come by then
		return fmt.Errorf("%s: no answer to the handshake: %w", address, context.Cause(ctx))
	case strings.Contains(err.Error(), "malformed HTTP"):
		return fmt.Errorf("%s: %w: the answer is no HTTP: does another program have the port, or does it want %s?", address, ErrProtocol, otherScheme(u.Scheme))
	}
	return fmt.Errorf("%s: %w", address, err)
}

// overdue tells whether ctx is over. The connection has ctx's deadline too, and may come
// to it a moment before.
func overdue(ctx context.Context) bool {
	if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

func otherScheme(s string) string {
	if s == "ws" {
		return "wss://"
	}
	return "ws://"
}

// read hands every frame on, until the connection ends. It also answers the
// server's pings, between requests too: a server hangs up on a client that is silent
// for 20 s.
func (c *Client) read() {
	for {
		kind, data, err := c.conn.ReadMessage()
		m := message{data: data}
		switch {
		case errors.Is(err, websocket.ErrReadLimit):
			m.err = fmt.Errorf("%w: frame of more than %d MiB", ErrProtocol, maxFrame>>20)
		case err != nil:
			m.err = fmt.Errorf("connection lost: %w", err)
		case kind == websocket.TextMessage:
			m.err = fmt.Errorf("%w: %s", ErrServer, lastLine(string(data)))
		}
		select {
		case c.in <- m:
		case <-c.gone:
			return
		}
		if m.err != nil {
			return
		}
	}
}

// lastLine is what a Python trace-back comes to.
func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if len(last) > 300 {
		last = last[:300] + "..."
	}
	return last
}

// next waits for a frame.
func (c *Client) next(ctx context.Context) (any, error) {
	select {
	case m := <-c.in:
		if m.err != nil {
			return nil, m.err
		}
		v, err := npwire.FromMsgpack(m.data)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
		}
		return v, nil
	case <-c.gone:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func dict(v any) (map[string]any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: %T in place of a map", ErrProtocol, v)
	}
	return m, nil
}

// Metadata is what the server said of itself.
func (c *Client) Metadata() map[string]any { return c.metadata }

// Infer sends an observation and returns the answer. When ctx ends first, the answer
// is not used, whenever it comes: the next Infer drops it, for a server answers in
// order. After any other error the connection is of no use: Close it.
func (c *Client) Infer(ctx context.Context, observation npwire.Object) (map[string]any, error) {
	data, err := npwire.Msgpack(observation)
	if err != nil {
		return nil, fmt.Errorf("openpi: %w", err)
	}
	if err := c.drain(); err != nil {
		return nil, fmt.Errorf("openpi: %s: %w", c.url, err)
	}
	deadline, _ := ctx.Deadline() // none: none
	if err := c.conn.SetWriteDeadline(deadline); err != nil {
		return nil, fmt.Errorf("openpi: %s: %w", c.url, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.conn.NetConn().SetWriteDeadline(time.Now()) })
	err = c.conn.WriteMessage(websocket.BinaryMessage, data)
	stop()
	if err != nil {
		_ = overdue(ctx) // if that is why, ctx says so by now
		c.Close()        // half a frame may be out
		return nil, fmt.Errorf("openpi: %s: send: %w", c.url, err)
	}
	m, err := c.answer(ctx)
	if err != nil {
		return nil, fmt.Errorf("openpi: %s: %w", c.url, err)
	}
	return m, nil
}

// drain takes what came before the request, which cannot be its answer.
func (c *Client) drain() error {
	for {
		select {
		case m := <-c.in:
			switch {
			case m.err != nil:
				return m.err
			case c.owed == 0:
				return fmt.Errorf("%w: it sent what nobody asked for", ErrProtocol)
			}
			c.owed--
		default:
			return nil
		}
	}
}

func (c *Client) answer(ctx context.Context) (map[string]any, error) {
	for {
		v, err := c.next(ctx)
		if err != nil {
			if ctx.Err() != nil {
				c.owed++
			}
			return nil, err
		}
		if c.owed == 0 {
			return dict(v)
		}
		c.owed--
	}
}

// Close ends the connection.
func (c *Client) Close() {
	c.closing.Do(func() {
		close(c.gone)
		// A server logs a client that just vanishes as an error. Nothing waits for
		// either.
		_ = c.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(goodbye))
		_ = c.conn.Close()
	})
}
