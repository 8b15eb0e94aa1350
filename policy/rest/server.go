package rest

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"twinrig/policy/npwire"
)

// Answerer is what a server serves. Its methods are called one at a time.
type Answerer interface {
	// Metadata is what /health says.
	Metadata() npwire.Object
	// Reset forgets the past.
	Reset(ctx context.Context) error
	// Answer answers an observation; the entry "actions" is what is sent.
	Answer(ctx context.Context, observation map[string]any) (npwire.Object, error)
}

// maxObservation bounds a client's request, bytes.
const maxObservation = 64 << 20

// Handler serves a policy at /act, /reset and /health. With a key, a client must
// send it to the first two.
type Handler struct {
	mu     sync.Mutex
	policy Answerer
	key    string
	mux    *http.ServeMux
}

// NewHandler serves a, to clients that send key, or to all if it is empty.
func NewHandler(a Answerer, key string) *Handler {
	h := &Handler{policy: a, key: key, mux: http.NewServeMux()}
	h.mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, append(npwire.Object{{Key: "status", Value: "ok"}}, a.Metadata()...))
	})
	h.mux.HandleFunc("POST /reset", h.guarded(func(w http.ResponseWriter, r *http.Request) error {
		if err := h.alone(func() error { return a.Reset(r.Context()) }); err != nil {
			return err
		}
		reply(w, npwire.Object{{Key: "status", Value: "ok"}})
		return nil
	}))
	h.mux.HandleFunc("POST /act", h.guarded(h.act))
	return h
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// alone calls f with the policy to itself.
func (h *Handler) alone(f func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return f()
}

// guarded checks the key and the content, and answers f's error.
func (h *Handler) guarded(f func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if h.key != "" && subtle.ConstantTimeCompare([]byte(given), []byte(h.key)) == 0 {
			http.Error(w, "the API key is not this server's", http.StatusUnauthorized)
			return
		}
		// A page in a browser can send texts anywhere, but no JSON unasked.
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			http.Error(w, "Content-Type must be application/json", http.StatusUnsupportedMediaType)
			return
		}
		if err := f(w, r); err != nil {
			status := http.StatusInternalServerError
			if errors.Is(err, errRequest) {
				status = http.StatusBadRequest
			}
			http.Error(w, err.Error(), status)
		}
	}
}

// errRequest marks what is the client's fault.
var errRequest = errors.New("bad request")

// act reads a question before it asks for the policy: a client that is slow at it, or
// never ends, keeps nobody else from theirs.
func (h *Handler) act(w http.ResponseWriter, r *http.Request) error {
	observation, err := read(w, r)
	if err != nil {
		return fmt.Errorf("%w: %w", errRequest, err)
	}
	var answer npwire.Object
	if err := h.alone(func() error {
		answer, err = h.policy.Answer(r.Context(), observation)
		return err
	}); err != nil {
		return err
	}
	for _, f := range answer {
		if f.Key == "actions" {
			reply(w, f.Value)
			return nil
		}
	}
	return errors.New("the policy gave no actions")
}

var errNoMap = errors.New("an observation is a map")

// read reads an observation.
func read(w http.ResponseWriter, r *http.Request) (map[string]any, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxObservation))
	if err != nil {
		return nil, err
	}
	v, err := npwire.FromJSON(body)
	if err != nil {
		return nil, err
	}
	observation, ok := v.(map[string]any)
	if !ok {
		return nil, errNoMap
	}
	coded, ok := observation["encoded"].(string) // OpenVLA's clients may encode twice
	if !ok {
		return observation, nil
	}
	if v, err = npwire.FromJSON([]byte(coded)); err != nil {
		return nil, err
	}
	if observation, ok = v.(map[string]any); !ok {
		return nil, errNoMap
	}
	return observation, nil
}

// reply sends a value; a client that is gone does not matter.
func reply(w http.ResponseWriter, v any) {
	data, err := npwire.JSON(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
}
