package foxglove

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/record"
)

func serving(t *testing.T, change ...func(*Config)) (*Server, string) {
	t.Helper()
	cfg := DefaultConfig("bench", "webcam")
	for _, f := range change {
		f(&cfg)
	}
	s, err := New(cfg)
	require.NoError(t, err)
	h := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); h.Close() })
	return s, "ws" + strings.TrimPrefix(h.URL, "http")
}

// tell shows one of everything.
func tell(t *testing.T, s *Server, n int) {
	r := &twinrig.Report{Tick: uint64(n), Now: time.Duration(n) * time.Second}
	r.State.Measured = twinrig.Joints{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}
	r.State.NumServos = 1
	r.State.Servos[0] = twinrig.ServoHealth{ID: 7, Axis: twinrig.WristAngle, TemperatureC: 41}
	s.Put(r)
	s.PutGap(&twinrig.Gap{Step: n, Translation: 0.004})
	s.PutEvent(&twinrig.Event{Kind: "seen", Trial: "0001", Detail: "grasp"})
	require.NoError(t, s.PutFrame(&twinrig.Frame{Seq: 3, Stamp: 1500 * time.Millisecond, W: 16, H: 8, RGB: make([]byte, 3*16*8)}))
}

// Foxglove's own client sees every topic as the logs have it.
func TestFoxglovesOwnClient(t *testing.T) {
	modules, err := filepath.Abs("../../../.deps/node/node_modules")
	require.NoError(t, err)
	require.DirExists(t, modules, "run `make test`, or scripts/testenv.sh first")
	for _, protocol := range protocols {
		s, url := serving(t)
		cmd := exec.Command("node", filepath.Join("testdata", "client.cjs"), modules, url, protocol)
		done := make(chan struct{})
		var out []byte
		var runErr error
		go func() {
			defer close(done)
			out, runErr = cmd.Output()
		}()
		every := time.NewTicker(5 * time.Millisecond)
		defer every.Stop()
		for n := 0; ; n++ {
			select {
			case <-every.C:
				tell(t, s, n)
				continue
			case <-done:
			}
			break
		}
		require.NoError(t, runErr)
		var got struct {
			Server   string
			Channels []channel
			First    map[string]struct {
				At      int64
				Message map[string]any
			}
			Status []string
		}
		require.NoError(t, json.Unmarshal(out, &got))
		require.Equal(t, "bench", got.Server)
		require.Empty(t, got.Status)
		topics, err := record.Topics()
		require.NoError(t, err)
		require.Len(t, got.Channels, len(topics))
		for i, want := range topics {
			c := got.Channels[i]
			require.Equal(t, want.SchemaName, c.SchemaName)
			require.JSONEq(t, want.Schema, c.Schema)
			require.InDelta(t, time.Now().UnixNano(), got.First[c.Topic].At, float64(time.Minute))
		}
		require.InDelta(t, 0.3, got.First["/tick"].Message["state"].(map[string]any)["measured_rad"].([]any)[2], 0)
		require.Equal(t, "seen", got.First["/event"].Message["kind"])
		require.InDelta(t, 41, got.First["/servo"].Message["temperature_c"], 0)
		image := got.First["/camera/webcam"].Message
		require.Equal(t, "jpeg", image["format"])
		jpeg, err := base64.StdEncoding.DecodeString(image["data"].(string))
		require.NoError(t, err)
		var f twinrig.Frame
		require.NoError(t, twinrig.DecodeJPEG(jpeg, &f))
		require.Equal(t, 16, f.W)
	}
}

// dial connects and reads the greeting.
func dial(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	d := websocket.Dialer{Subprotocols: protocols}
	conn, res, err := d.Dial(url, nil)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	t.Cleanup(func() { _ = conn.Close() })
	require.Equal(t, "serverInfo", op(t, conn))
	require.Equal(t, "advertise", op(t, conn))
	return conn
}

func op(t *testing.T, conn *websocket.Conn) string {
	t.Helper()
	var m struct{ Op, Message string }
	kind, data, err := conn.ReadMessage()
	require.NoError(t, err)
	require.Equal(t, websocket.TextMessage, kind)
	require.NoError(t, json.Unmarshal(data, &m))
	if m.Message != "" {
		return m.Message
	}
	return m.Op
}

func ask(t *testing.T, conn *websocket.Conn, text string) {
	t.Helper()
	require.NoError(t, conn.WriteMessage(websocket.TextMessage, []byte(text)))
}

// What is not subscribed to is neither encoded nor sent; ticks come at the rate.
func TestSubscriptions(t *testing.T) {
	s, url := serving(t, func(c *Config) { c.Rate = 10 })
	conn := dial(t, url)
	ask(t, conn, `{"op":"subscribe","subscriptions":[{"id":9,"channelId":0},{"id":1,"channelId":99}]}`)
	require.Equal(t, "there is no channel 99", op(t, conn))
	for ms := range 1000 {
		s.Put(&twinrig.Report{Tick: uint64(ms), Now: time.Duration(ms) * time.Millisecond})
		s.PutGap(&twinrig.Gap{})
	}
	for i := range 10 {
		kind, data, err := conn.ReadMessage()
		require.NoError(t, err)
		require.Equal(t, websocket.BinaryMessage, kind)
		require.Equal(t, byte(messageData), data[0])
		require.Equal(t, uint32(9), binary.LittleEndian.Uint32(data[1:]))
		require.Contains(t, string(data[13:]), fmt.Sprintf(`"tick":%d,`, 100*i))
	}
	ask(t, conn, `{"op":"unsubscribe","subscriptionIds":[9]}`)
	ask(t, conn, `{"op":"getParameters"}`)
	require.Contains(t, op(t, conn), "only shows")
	s.Put(&twinrig.Report{Now: time.Hour})
	ask(t, conn, `not JSON`)
	require.Contains(t, op(t, conn), "not understood", "and no tick before it")
}

// A client that does not read loses messages, each of them counted, and nobody waits.
func TestSlowClient(t *testing.T) {
	s, url := serving(t, func(c *Config) { c.Rate = 0 })
	conn := dial(t, url)
	ask(t, conn, `{"op":"subscribe","subscriptions":[{"id":1,"channelId":2}]}`)
	ask(t, conn, `{"op":"x"}`)
	require.Contains(t, op(t, conn), "only shows") // so it has subscribed
	const sent = 4000
	long := strings.Repeat("x", 8192) // more than the sockets buffer
	for range sent {
		s.PutEvent(&twinrig.Event{Kind: "k", Detail: long})
	}
	lost := s.Dropped()
	require.Positive(t, lost)
	got, told := 0, 0
	for uint64(got) < sent-lost || told == 0 {
		kind, data, err := conn.ReadMessage()
		require.NoError(t, err)
		if kind == websocket.BinaryMessage {
			got++
			continue
		}
		var m status
		require.NoError(t, json.Unmarshal(data, &m))
		n := 0
		_, err = fmt.Sscanf(m.Message, "%d messages dropped", &n)
		require.NoError(t, err)
		told += n
	}
	require.Equal(t, uint64(got)+lost, uint64(sent))
	require.Equal(t, lost, uint64(told))
}

func TestWhoIsLetIn(t *testing.T) {
	_, url := serving(t, func(c *Config) { c.Clients = 1 })
	for origin, ok := range map[string]bool{"https://evil.example": false, "https://app.foxglove.dev": true} {
		d := websocket.Dialer{Subprotocols: protocols}
		conn, res, err := d.Dial(url, http.Header{"Origin": {origin}})
		if !ok {
			require.ErrorIs(t, err, websocket.ErrBadHandshake)
			require.Equal(t, http.StatusForbidden, res.StatusCode)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "serverInfo", op(t, conn))
		second, _, err := d.Dial(url, nil)
		require.NoError(t, err)
		_, _, err = second.ReadMessage()
		require.ErrorContains(t, err, "too many clients")
		require.NoError(t, conn.Close())
	}
	res, err := http.Get("http" + strings.TrimPrefix(url, "ws"))
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, http.StatusBadRequest, res.StatusCode, "a browser is told what this is")
}
