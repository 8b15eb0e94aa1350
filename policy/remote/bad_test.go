package remote

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
	"twinrig/policy/npwire"
)

// flat is a kinematics for tests: x y z from the first three joints.
type flat struct{}

func (flat) Forward(q twinrig.Joints) twinrig.Pose {
	x, _ := policy.PoseFromState(policy.BridgeState{q[0], q[1], q[2], q[3], q[4], q[5]})
	return x
}

func (flat) Inverse(twinrig.Pose, twinrig.Joints) (twinrig.Joints, error) {
	return twinrig.Joints{}, nil
}

// bridge4 is a rig file's contract for servers that declare nothing.
var bridge4 = Contract{Space: policy.BridgeDelta, RateHz: 5, Horizon: 2, Execute: 2, Image: Image{Key: off}}

// frame is a WebSocket frame of a bad server.
type frame struct {
	kind int
	data []byte
}

func pack(t *testing.T, v any) []byte {
	b, err := npwire.Msgpack(v)
	require.NoError(t, err)
	return b
}

func answer(t *testing.T, actions any) frame {
	return frame{websocket.BinaryMessage, pack(t, npwire.Object{{Key: "actions", Value: actions}})}
}

// openpiServer greets, and answers each observation with the frames; hang leaves
// without a word after them.
func openpiServer(t *testing.T, hello frame, frames []frame, hang bool) string {
	up := websocket.Upgrader{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close() //nolint:errcheck // a bad server
		_ = conn.WriteMessage(hello.kind, hello.data)
		for {
			if _, _, err := conn.ReadMessage(); err != nil {
				return
			}
			for _, f := range frames {
				_ = conn.WriteMessage(f.kind, f.data)
			}
			if hang {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	return "openpi+ws" + strings.TrimPrefix(s.URL, "http")
}

// act opens a policy and asks it once.
func act(t *testing.T, url string, c Contract, patience time.Duration) (policy.Chunk, error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p, err := Open(ctx, url, c, flat{})
	if err != nil {
		return nil, err
	}
	t.Cleanup(p.Close)
	return p.Act(ctx, &twinrig.Observation{Instruction: "go"})
}

const patience = 20 * time.Second

func TestBadOpenpiServers(t *testing.T) {
	hello := frame{websocket.BinaryMessage, []byte{0x80}}
	good := npwire.Float32s([]int{2, 7}, make([]float64, 14)...)
	for name, tc := range map[string]struct {
		hello  frame
		frames []frame
		hang   bool
		says   string
	}{
		"good":               {hello: hello, frames: []frame{answer(t, good)}},
		"no metadata":        {hello: frame{websocket.TextMessage, []byte("Traceback\n  x\nRuntimeError: no GPU")}, says: "metadata: policy server reports an error: RuntimeError: no GPU"},
		"metadata is a list": {hello: frame{websocket.BinaryMessage, []byte{0x90}}, says: "[]interface {} in place of a map"},
		"text frame":         {hello: hello, frames: []frame{{websocket.TextMessage, []byte("Traceback (most recent call last):\n  File\nKeyError: 'state'\n")}}, says: "reports an error: KeyError: 'state'"},
		"no msgpack":         {hello: hello, frames: []frame{{websocket.BinaryMessage, []byte("<html>")}}, says: "not openpi's protocol"},
		"empty":              {hello: hello, frames: []frame{{websocket.BinaryMessage, nil}}, says: "not openpi's protocol"},
		"no actions":         {hello: hello, frames: []frame{{websocket.BinaryMessage, []byte{0x80}}}, says: `the answer has no "actions"`},
		"wrong width":        {hello: hello, frames: []frame{answer(t, npwire.Float32s([]int{2, 8}, make([]float64, 16)...))}, says: "action 0 has 8 numbers, not the 7 of bridge_delta"},
		"wrong dimensions":   {hello: hello, frames: []frame{answer(t, npwire.Float32s([]int{1, 2, 7}, make([]float64, 14)...))}, says: "shape [1 2 7], not one or two"},
		"no numbers":         {hello: hello, frames: []frame{answer(t, "go left")}, says: "string is not an array"},
		"no rows":            {hello: hello, frames: []frame{answer(t, npwire.Float32s([]int{0, 7}))}, says: "is empty"},
		"wrong dtype":        {hello: hello, frames: []frame{answer(t, &npwire.Array{DType: "<c8", Shape: []int{1}, Data: make([]byte, 8)})}, says: `dtype "<c8" is not spoken`},
		"huge frame":         {hello: hello, frames: []frame{{websocket.BinaryMessage, make([]byte, 17<<20)}}, says: "frame of more than 16 MiB"},
		"closed":             {hello: hello, hang: true, says: "connection lost"},
	} {
		t.Run(name, func(t *testing.T) {
			chunk, err := act(t, openpiServer(t, tc.hello, tc.frames, tc.hang), bridge4, patience)
			if tc.says == "" {
				require.NoError(t, err)
				require.Len(t, chunk, 2)
				return
			}
			require.ErrorContains(t, err, tc.says)
			require.NotContains(t, err.Error(), "\n", "one clear line")
		})
	}
}

// Other programs on the port.
func TestNoPolicyServers(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	for name, tc := range map[string]struct {
		address string
		says    string
		openpi  bool // for it alone: an /act without /health may yet be one
	}{
		"a web server":    {web.Listener.Addr().String(), "HTTP 404 Not Found in place of a WebSocket: does another program have the port?", true},
		"noise":           {talker(t, "SSH-2.0-OpenSSH_9.2\r\n"), "the answer is no HTTP", false},
		"silence":         {talker(t, ""), "deadline exceeded", false},
		"nobody":          {gone.Addr().String(), "connection refused", false},
		"closed in frame": {talker(t, "HTTP/1.1 101 Switching Prot"), "EOF", false},
	} {
		for _, protocol := range []string{"openpi+ws://", "rest+http://"} {
			if tc.openpi && protocol != "openpi+ws://" {
				continue
			}
			t.Run(name+" "+protocol, func(t *testing.T) {
				wait := patience
				if name == "silence" {
					wait = 50 * time.Millisecond
				}
				_, err := act(t, protocol+tc.address, bridge4, wait)
				require.ErrorContains(t, err, tc.says)
				require.ErrorContains(t, err, tc.address)
				require.NotContains(t, err.Error(), "\n")
			})
		}
	}
}

// talker says something to every client after its first line, and then hangs up; or
// nothing at all.
func talker(t *testing.T, what string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if what == "" {
				t.Cleanup(func() { _ = c.Close() })
				continue
			}
			go func() {
				_, _ = bufio.NewReader(c).ReadString('\n')
				_, _ = c.Write([]byte(what))
				_ = c.Close()
			}()
		}
	}()
	return l.Addr().String()
}

func TestBadRESTServers(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		body   string
		says   string
	}{
		"one action":      {200, `[0.01,0,0,0,0,0,1]`, ""},
		"chunk":           {200, `{"actions":[[0.01,0,0,0,0,0,1],[0.01,0,0,0,0,0,1]]}`, ""},
		"array":           {200, `{"__numpy__":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==","dtype":"<f4","shape":[7]}`, ""},
		"encoded twice":   {200, `"[0.01,0,0,0,0,0,1]"`, ""},
		"error":           {200, `"error"`, "reports an error: see its log"},
		"status":          {500, "Traceback\nValueError: unnorm_key", "HTTP 500: Traceback"},
		"web page":        {200, "<html>", "not an /act server"},
		"empty":           {200, "", "not an /act server"},
		"NaN":             {200, `[NaN,0,0,0,0,0,1]`, "not an /act server"},
		"map":             {200, `{"detail":"no"}`, "a map without actions"},
		"wrong width":     {200, `[1,2,3]`, "action 0 has 3 numbers, not the 7"},
		"ragged":          {200, `[[0,0,0,0,0,0,1],[0]]`, "action 1 has 1 numbers"},
		"words":           {200, `["left"]`, "string is not an array"},
		"redirected":      {302, "", "HTTP 302"},
		"huge":            {200, `"` + strings.Repeat("a", 17<<20) + `"`, "answer of more than 16 MiB"},
		"null":            {200, `null`, "<nil> is not an array"},
		"array cut short": {200, `{"__numpy__":"AAAA","dtype":"<f4","shape":[7]}`, "3 bytes for shape [7]"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/act" {
					http.NotFound(w, r)
					return
				}
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			}))
			defer s.Close()
			chunk, err := act(t, "rest+"+s.URL+"/act", bridge4, patience)
			if tc.says == "" {
				require.NoError(t, err)
				require.NotEmpty(t, chunk)
				return
			}
			require.ErrorContains(t, err, tc.says)
		})
	}
}

// slow answers the first question after the second is asked.
func TestLateAnswerIsNeverUsed(t *testing.T) {
	up := websocket.Upgrader{}
	asked := make(chan struct{}, 2)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close() //nolint:errcheck // done
		_ = conn.WriteMessage(websocket.BinaryMessage, []byte{0x80})
		for i := 1; ; i++ {
			if _, _, err := conn.ReadMessage(); err != nil {
				return
			}
			asked <- struct{}{}
			if i == 1 {
				continue
			}
			for n := 1; n <= i; n++ {
				row := []float64{float64(n) / 64, 0, 0, 0, 0, 0, 1}
				_ = conn.WriteMessage(websocket.BinaryMessage, pack(t, npwire.Object{{Key: "actions", Value: npwire.Float64s([]int{1, 7}, row...)}}))
			}
		}
	}))
	defer s.Close()
	p, err := Open(t.Context(), "openpi+ws"+strings.TrimPrefix(s.URL, "http"), bridge4, flat{})
	require.NoError(t, err)
	defer p.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	_, err = p.Act(ctx, &twinrig.Observation{})
	require.ErrorIs(t, err, context.Canceled)
	chunk, err := p.Act(t.Context(), &twinrig.Observation{})
	require.NoError(t, err)
	require.InDelta(t, 2.0/64, chunk[0][0], 0, "the second question's answer, not the first's")
}
