package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"twinrig/cmd/twinrig/doctor"
	"twinrig/eval"
	"twinrig/policy"
	"twinrig/policy/remote"
)

// silence is what a server does instead of an answer; it ends when the client leaves
// or the test does.
type silence func(w io.Writer, hold func())

// The ways to be silent: to say nothing, and to begin a frame, or an answer of 1000
// bytes, and not to end it.
func silences(protocol string) map[string]silence {
	half := "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"act"
	if protocol == "openpi" {
		half = "\x82\x7e\x03\xe8\x81\xa7act" // a binary frame of 1000 bytes
	}
	return map[string]silence{
		"silent": func(_ io.Writer, hold func()) { hold() },
		"half an answer": func(w io.Writer, hold func()) {
			_, _ = io.WriteString(w, half)
			hold()
		},
	}
}

// silentServer greets as a policy server, and does not answer questions. It tells its
// URL.
func silentServer(t *testing.T, protocol string, s silence) string {
	t.Helper()
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hold := func() { <-over }
		switch {
		case protocol == "openpi":
			conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
			if err != nil {
				return
			}
			defer conn.Close() //nolint:errcheck // a bad server
			_ = conn.WriteMessage(websocket.BinaryMessage, []byte{0x80})
			if _, _, err = conn.ReadMessage(); err == nil {
				s(conn.NetConn(), hold)
			}
		case r.URL.Path == "/act":
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			defer conn.Close() //nolint:errcheck // a bad server
			s(conn, hold)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(func() {
		close(over)
		server.Close()
	})
	if protocol == "openpi" {
		return "openpi+ws" + strings.TrimPrefix(server.URL, "http")
	}
	return "rest+" + server.URL + "/act"
}

// A server that takes questions and does not answer them, or never to the end, is the
// policy's fault in lockstep too, where no time passes while it is waited for. The arm
// has not moved, and everything is closed.
func TestStudyOfASilentServer(t *testing.T) {
	for _, protocol := range []string{"openpi", "rest"} {
		for name, s := range silences(protocol) {
			t.Run(protocol+" "+name, func(t *testing.T) {
				d := small(t, "p="+silentServer(t, protocol, s))
				d.Study.Placements = 1
				d.Rig.Policy.Timeout, d.Rig.Policy.MaxRefused = 20*time.Millisecond, 2
				d.Rig.Remote = remote.Contract{
					Space: policy.BridgeDelta, RateHz: 5, Horizon: 4, Execute: 4, Image: remote.Image{Key: "none"},
				}
				dir := filepath.Join(t.TempDir(), "study")
				err := demo(t.Context(), d, demoFlags{lockstep: true, asJSON: true, out: dir}, &strings.Builder{}, &strings.Builder{})
				require.ErrorContains(t, err, "fault 3 times in a row, last policy fault")
				results := resultsOf(t, dir)
				require.Len(t, results, 3)
				for _, r := range results {
					require.Equal(t, eval.PolicyFault, r.Termination)
					require.Nil(t, r.Verdict)
					require.Contains(t, r.Note, "2 chunks refused in a row: policy: no answer in 20ms")
					require.NotContains(t, r.Note, "\n")
				}
			})
		}
	}
}

// policy check does not wait without end for the first answer, and says what it then
// cannot know.
func TestPolicyCheckOfASilentServer(t *testing.T) {
	for _, protocol := range []string{"openpi", "rest"} {
		for name, s := range silences(protocol) {
			t.Run(protocol+" "+name, func(t *testing.T) {
				rig := writeFile(t, "rig.yaml", "name: bench\nremote: {space: bridge_delta, rate_hz: 5, horizon: 4, execute: 4}\n")
				at := silentServer(t, protocol, s)
				checks, ok := checksOf(t, at, "--rig", rig, "--warm-up", "50ms")
				require.False(t, ok)
				require.Equal(t, doctor.OK, checks["server"].Verdict)
				require.Equal(t, doctor.Fail, checks["answers"].Verdict)
				require.Contains(t, checks["answers"].Value, "no answer to the first question in 50ms")
				for _, skipped := range []string{"actions", "latency", "probes"} {
					require.Equal(t, "not checked: needs answers", checks[skipped].Value, skipped)
				}
			})
		}
	}
}
