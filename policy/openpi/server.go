package openpi

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"twinrig/policy/npwire"
)

// Answerer is what a server serves. Its methods are called one at a time.
type Answerer interface {
	// Metadata is sent to each client first.
	Metadata() npwire.Object
	// Reset forgets the past; it is called for each new client.
	Reset(ctx context.Context) error
	// Answer answers an observation.
	Answer(ctx context.Context, observation map[string]any) (npwire.Object, error)
}

// maxObservation bounds a client's frame, bytes: some pictures of a megapixel each.
const maxObservation = 64 << 20

// busyWait is how long a client waits for the one before it to leave.
const busyWait = 2 * time.Second

// closeWait bounds how long a closing frame may take.
const closeWait = time.Second

// Handler serves a policy at every path but /healthz, where it says OK. One client
// at a time has it; another is told so with HTTP 503. With a key, a client must
// send it.
type Handler struct {
	policy Answerer
	key    string
	busy   chan struct{}
	up     websocket.Upgrader
}

// NewHandler serves a, to clients that send key, or to all if it is empty.
func NewHandler(a Answerer, key string) *Handler {
	return &Handler{
		policy: a, key: key, busy: make(chan struct{}, 1),
		// Browsers send an origin: a page must not drive a policy.
		up: websocket.Upgrader{ReadBufferSize: 64 << 10},
	}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintln(w, "OK")
		return
	}
	given := strings.TrimPrefix(r.Header.Get("Authorization"), "Api-Key ")
	if h.key != "" && subtle.ConstantTimeCompare([]byte(given), []byte(h.key)) == 0 {
		http.Error(w, "the API key is not this server's", http.StatusUnauthorized)
		return
	}
	select {
	case h.busy <- struct{}{}:
		defer func() { <-h.busy }()
	case <-r.Context().Done():
		return
	case <-time.After(busyWait):
		http.Error(w, "another client has the policy", http.StatusServiceUnavailable)
		return
	}
	conn, err := h.up.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	defer conn.Close() //nolint:errcheck // nothing is left to lose
	conn.SetReadLimit(maxObservation)
	if err := h.serve(r.Context(), conn); err != nil {
		// As openpi does: the error as text, then the closing frame.
		end := time.Now().Add(closeWait)
		_ = conn.SetWriteDeadline(end)
		_ = conn.WriteMessage(websocket.TextMessage, []byte(err.Error()))
		_ = conn.WriteControl(websocket.CloseMessage,
			websocket.FormatCloseMessage(websocket.CloseInternalServerErr, "Internal server error. Traceback included in previous frame."), end)
	}
}

// serve answers until the client leaves; the error is the client's to know.
func (h *Handler) serve(ctx context.Context, conn *websocket.Conn) error {
	if err := h.policy.Reset(ctx); err != nil {
		return err
	}
	if err := send(conn, h.policy.Metadata()); err != nil {
		return err
	}
	var total time.Duration // of the answer before
	for {
		kind, data, err := conn.ReadMessage()
		if err != nil {
			return nil //nolint:nilerr // the client left
		}
		begun := time.Now()
		if kind != websocket.BinaryMessage {
			return errors.New("an observation is a binary frame")
		}
		v, err := npwire.FromMsgpack(data)
		if err != nil {
			return err
		}
		observation, err := dict(v)
		if err != nil {
			return err
		}
		answer, err := h.policy.Answer(ctx, observation)
		if err != nil {
			return err
		}
		timing := npwire.Object{{Key: "infer_ms", Value: ms(time.Since(begun))}}
		if total > 0 {
			timing = append(timing, npwire.Field{Key: "prev_total_ms", Value: ms(total)})
		}
		if err := send(conn, append(answer, npwire.Field{Key: "server_timing", Value: timing})); err != nil {
			return nil //nolint:nilerr // the client left
		}
		total = time.Since(begun)
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func send(conn *websocket.Conn, v npwire.Object) error {
	data, err := npwire.Msgpack(v)
	if err != nil {
		return err
	}
	return conn.WriteMessage(websocket.BinaryMessage, data)
}
