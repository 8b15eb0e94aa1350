package remote

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy/npwire"
)

// A server that takes a connection and then reads nothing, so that not even the
// question gets to it: the question is given up, and the next one goes to a connection
// of its own.
func TestServerThatDoesNotRead(t *testing.T) {
	stuck := make(chan struct{})
	var clients atomic.Int32
	good := pack(t, npwire.Object{{Key: "actions", Value: npwire.Float32s([]int{2, 7}, make([]float64, 14)...)}})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close() //nolint:errcheck // done
		_ = conn.WriteMessage(websocket.BinaryMessage, []byte{0x80})
		if clients.Add(1) == 1 {
			<-stuck
			return
		}
		if _, _, err := conn.ReadMessage(); err == nil {
			_ = conn.WriteMessage(websocket.BinaryMessage, good)
		}
	}))
	defer s.Close()
	defer close(stuck)
	c := bridge4
	const side = 4096 // 48 MiB: more than the kernel takes for a peer that does not read
	c.Image = Image{Resize: "none", Width: side, Height: side}
	p, err := Open(t.Context(), "openpi+ws"+strings.TrimPrefix(s.URL, "http"), c, flat{})
	require.NoError(t, err)
	defer p.Close()
	o := twinrig.Observation{Frames: []twinrig.Frame{{W: side, H: side, RGB: make([]byte, 3*side*side)}}}

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = p.Act(ctx, &o)
	require.ErrorContains(t, err, "send: ")
	chunk, err := p.Act(t.Context(), &o)
	require.NoError(t, err)
	require.Len(t, chunk, 2)
	require.EqualValues(t, 2, clients.Load())
}

// A certificate that this machine does not know is refused, and the refusal says what
// to do.
func TestUnknownCertificate(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	for _, url := range []string{"openpi+wss" + strings.TrimPrefix(s.URL, "https"), "rest+" + s.URL + "/act"} {
		_, err := Open(t.Context(), url, bridge4, flat{})
		require.ErrorContains(t, err, "failed to verify certificate")
		require.ErrorContains(t, err, "SSL_CERT_FILE")
		require.NotContains(t, err.Error(), "\n")
	}
}
