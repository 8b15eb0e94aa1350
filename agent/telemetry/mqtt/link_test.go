package mqtt_test

import (
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// link is a TCP relay to a broker that can be turned on and off; off, it
// refuses connections. It begins off.
type link struct {
	url          string
	addr, target string

	mu       sync.Mutex
	listener net.Listener  // nil while off
	stalled  chan struct{} // not nil while nothing is passed on
	conns    []net.Conn
}

func newLink(t *testing.T, url string) *link {
	t.Helper()
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(freePort(t)))
	l := &link{url: "tcp://" + addr, addr: addr, target: strings.TrimPrefix(url, "tcp://")}
	t.Cleanup(l.off)
	return l
}

func (l *link) on(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", l.addr)
	require.NoError(t, err)
	l.mu.Lock()
	l.listener = listener
	l.mu.Unlock()
	go l.accept(listener)
}

// off ends all connections.
func (l *link) off() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != nil {
		l.listener.Close()
		l.listener = nil
	}
	for _, c := range l.conns {
		c.Close()
	}
	l.conns = nil
}

func (l *link) accept(listener net.Listener) {
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
		if l.listener != listener {
			a.Close()
			b.Close()
		}
		l.mu.Unlock()
		go l.pipe(a, b)
		go l.pipe(b, a)
	}
}

// stall has nothing passed on, and nothing taken, until it ends.
func (l *link) stall(yes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if yes {
		l.stalled = make(chan struct{})
		return
	}
	close(l.stalled)
	l.stalled = nil
}

// pipe copies until one side is gone, and then ends both.
func (l *link) pipe(dst, src net.Conn) {
	defer dst.Close()
	defer src.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		l.mu.Lock()
		stalled := l.stalled
		l.mu.Unlock()
		if stalled != nil {
			<-stalled
		}
		if _, writeErr := dst.Write(buf[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// freePort is a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
