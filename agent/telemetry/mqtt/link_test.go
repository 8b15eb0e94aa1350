package mqtt_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// link is a TCP relay to a broker that can be cut.
type link struct {
	url    string
	target string

	mu    sync.Mutex
	conns []net.Conn
}

func newLink(t *testing.T, url string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &link{url: "tcp://" + listener.Addr().String(), target: strings.TrimPrefix(url, "tcp://")}
	t.Cleanup(func() {
		listener.Close()
		l.cut()
	})
	go func() {
		for {
			a, err := listener.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", l.target)
			if err != nil {
				a.Close()
				continue
			}
			l.mu.Lock()
			l.conns = append(l.conns, a, b)
			l.mu.Unlock()
			go pipe(a, b)
			go pipe(b, a)
		}
	}()
	return l
}

// pipe copies until one side is gone, and then ends both.
func pipe(dst, src net.Conn) {
	_, _ = io.Copy(dst, src)
	dst.Close()
	src.Close()
}

// cut ends all connections; new ones are let through.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		c.Close()
	}
	l.conns = nil
}

// freePort is a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
