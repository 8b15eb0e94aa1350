package rest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/policy/npwire"
)

// A server that takes the connection and then is silent, or begins an answer that it
// never ends, is given up, also by who waits without end of his own; and Close leaves
// no connection behind.
func TestSilentServers(t *testing.T) {
	// A handler hears of a client that left once it has read what was asked.
	silent := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	drips := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"sta`)
		w.(http.Flusher).Flush()
		silent(w, r)
	}
	for name, h := range map[string]http.HandlerFunc{"silence": silent, "half an answer": drips} {
		t.Run(name, func(t *testing.T) {
			gone := make(chan struct{}, 8)
			s := httptest.NewUnstartedServer(h)
			s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
				if st == http.StateClosed {
					gone <- struct{}{}
				}
			}
			s.Start()
			defer s.Close()
			c, err := New(s.URL+"/act", Options{})
			require.NoError(t, err)
			c.patience = 20 * time.Millisecond

			for what, ask := range map[string]func() error{
				"health": func() error { _, err := c.Health(t.Context()); return err },
				"reset":  func() error { return c.Reset(t.Context()) },
				"act": func() error {
					ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
					defer cancel()
					_, err := c.Act(ctx, npwire.Object{})
					return err
				},
			} {
				err := ask()
				require.ErrorIs(t, err, context.DeadlineExceeded, what)
				require.ErrorContains(t, err, s.URL+"/"+what)
				if what != "act" {
					require.ErrorContains(t, err, "no answer in 20ms")
				}
				<-gone // the connection that was in use
			}
		})
	}
}
