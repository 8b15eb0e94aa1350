package openpi

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"twinrig/policy/npwire"
)

// network has one server, and its time is the test's. It is a net.Listener.
type network struct{ made chan net.Conn }

// bubble runs f with a network whose server is serve. A
// goroutine that is left behind on either side is found by synctest.
func bubble(t *testing.T, serve func(net.Listener), f func(t *testing.T, dial func() (*Client, error))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := network{make(chan net.Conn)}
		defer func() {
			close(n.made)
			time.Sleep(time.Hour) // who has not ended then never will
		}()
		go serve(n)
		f(t, func() (*Client, error) { return Dial(t.Context(), "ws://server", Options{dial: n.dial}) })
	})
}

func (n network) Accept() (net.Conn, error) {
	if c, ok := <-n.made; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

// Close is the server's: the test ends the network.
func (network) Close() error { return nil }

func (n network) Addr() net.Addr { return &net.TCPAddr{} }

func (n network) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	n.made <- theirs
	return ours, nil
}

// greeting is a server that greets each client and hands its connection to f.
func greeting(f func(*websocket.Conn)) func(net.Listener) {
	return sockets(func(conn *websocket.Conn) {
		if conn.WriteMessage(websocket.BinaryMessage, empty) == nil {
			f(conn)
		}
	})
}

// sockets is a server that hands each client's connection to f.
func sockets(f func(*websocket.Conn)) func(net.Listener) {
	return func(l net.Listener) {
		s := http.Server{ReadHeaderTimeout: time.Hour, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
			if err != nil {
				return
			}
			defer conn.Close() //nolint:errcheck // it is over
			f(conn)
		})}
		_ = s.Serve(l)
	}
}

// empty is an empty map as msgpack.
var empty = []byte{0x80}

// answer is a map that says which answer it is.
func answer(n int) []byte { return []byte{0x81, 0xa1, 'n', byte(n)} }

func ask(c *Client, d time.Duration) (any, error) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	m, err := c.Infer(ctx, npwire.Object{{Key: "prompt", Value: "go"}})
	return m["n"], err
}

// A server whose inference blocks its event loop answers no ping and sends none for as
// long as it thinks. The client's own deadline decides, and nothing else.
func TestServerIsDeafWhileItThinks(t *testing.T) {
	const thinks = 10 * time.Minute
	bubble(t, greeting(func(conn *websocket.Conn) {
		conn.SetPingHandler(func(string) error {
			t.Error("the client expects pongs")
			return nil
		})
		for n := 1; ; n++ {
			if _, _, err := conn.ReadMessage(); err != nil {
				return
			}
			time.Sleep(thinks) // nothing is read meanwhile
			_ = conn.WriteMessage(websocket.BinaryMessage, answer(n))
		}
	}), func(t *testing.T, dial func() (*Client, error)) {
		c, err := dial()
		require.NoError(t, err)
		defer c.Close()
		for n := 1; n <= 2; n++ {
			got, err := ask(c, thinks+time.Second)
			require.NoError(t, err)
			require.EqualValues(t, n, got)
		}
	})
}

// A server that asks whether its client is alive is told so, while the client waits for
// an answer and between two questions, however long that is.
func TestClientAnswersPings(t *testing.T) {
	bubble(t, greeting(func(conn *websocket.Conn) {
		pongs := make(chan string, 8)
		conn.SetPongHandler(func(s string) error { pongs <- s; return nil })
		asked := make(chan struct{}, 8)
		go func() {
			defer close(asked)
			for {
				if _, _, err := conn.ReadMessage(); err != nil {
					return
				}
				asked <- struct{}{}
			}
		}()
		alive := func(word string) {
			_ = conn.WriteControl(websocket.PingMessage, []byte(word), time.Now().Add(time.Second))
			select {
			case got := <-pongs:
				if got != word {
					t.Errorf("pong %q, not %q", got, word)
				}
			case <-time.After(20 * time.Second):
				t.Errorf("no pong to the ping %s", word)
			}
		}
		alive("before the first question")
		for n := 1; ; n++ {
			if _, more := <-asked; !more {
				return
			}
			for range 5 {
				time.Sleep(20 * time.Second)
				alive("while it waits")
			}
			_ = conn.WriteMessage(websocket.BinaryMessage, answer(n))
			alive("after an answer")
		}
	}), func(t *testing.T, dial func() (*Client, error)) {
		c, err := dial()
		require.NoError(t, err)
		defer c.Close()
		for n := 1; n <= 2; n++ {
			got, err := ask(c, time.Hour)
			require.NoError(t, err)
			require.EqualValues(t, n, got)
			time.Sleep(time.Hour)
		}
	})
}

// drip sends bytes one a second.
func drip(w io.Writer, b []byte) {
	for i := range b {
		if _, err := w.Write(b[i : i+1]); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// A server that sends its answer a byte a second is late like any other, and what it
// completes later is not taken for the answer to the next question.
func TestServerThatDrips(t *testing.T) {
	bubble(t, greeting(func(conn *websocket.Conn) {
		if _, _, err := conn.ReadMessage(); err != nil {
			return
		}
		drip(conn.NetConn(), append([]byte{0x82, 4}, answer(1)...))
		for n := 2; ; n++ {
			if _, _, err := conn.ReadMessage(); err != nil {
				return
			}
			_ = conn.WriteMessage(websocket.BinaryMessage, answer(n))
		}
	}), func(t *testing.T, dial func() (*Client, error)) {
		c, err := dial()
		require.NoError(t, err)
		defer c.Close()
		begun := time.Now()
		_, err = ask(c, 2*time.Second)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 2*time.Second, time.Since(begun))
		got, err := ask(c, time.Minute)
		require.NoError(t, err)
		require.EqualValues(t, 2, got)
	})
}

// No part of the handshake may take for ever, whatever its client's patience.
func TestHandshakeThatDrips(t *testing.T) {
	raw := func(f func(net.Conn)) func(net.Listener) {
		return func(l net.Listener) {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close() //nolint:errcheck // it is over
					f(c)
				}()
			}
		}
	}
	for says, serve := range map[string]func(net.Listener){
		"no answer to the handshake: no answer in 10s": raw(func(c net.Conn) {
			go io.Copy(io.Discard, c) //nolint:errcheck // until it is closed
			drip(c, []byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"))
		}),
		"metadata: no answer in 10s": sockets(func(conn *websocket.Conn) {
			go conn.ReadMessage() //nolint:errcheck // until it is closed
			drip(conn.NetConn(), append([]byte{0x82, 100}, make([]byte, 100)...))
		}),
	} {
		bubble(t, serve, func(t *testing.T, dial func() (*Client, error)) {
			begun := time.Now()
			_, err := dial()
			require.ErrorContains(t, err, says)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, helloTimeout, time.Since(begun))
		})
	}
}
