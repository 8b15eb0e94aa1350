package doctor

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/stretchr/testify/require"

	"twinrig/agent"
	"twinrig/agent/telemetry/mqtt"
	"twinrig/configs"
)

func newBench(t *testing.T) *bench {
	t.Helper()
	clock, err := agent.OpenClock()
	require.NoError(t, err)
	return &bench{rig: configs.DefaultRig(), host: thisHost(), clock: clock}
}

// sockets upgrades whoever asks as RFC 6455 wants, at /socket.
func sockets(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/broken":
		w.WriteHeader(http.StatusBadGateway)
	case r.URL.Path == "/socket" && r.Header.Get("Upgrade") == "websocket" && len(r.Header.Get("Sec-WebSocket-Key")) == 24 &&
		r.Header.Get("Sec-WebSocket-Version") == "13" && r.Header.Get("Connection") == "Upgrade":
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		w.WriteHeader(http.StatusSwitchingProtocols)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func TestPolicyServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(sockets))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	for _, c := range []struct {
		url     string
		verdict Verdict
		value   string
	}{
		{"", OK, "built in"},
		{"rest+http://" + address, OK, "answers in"},
		{"rest+http://" + address + "/broken", Fail, "502"},
		{"openpi+ws://" + address + "/socket", OK, "answers in"},
		{"openpi+ws://" + address, Fail, "not as a WebSocket"},
		{"rest+https://" + address, Fail, "HTTP response to HTTPS"},
	} {
		b := newBench(t)
		b.rig.PolicyServer = c.url
		r := checkPolicy(context.Background(), b)
		require.Equal(t, c.verdict, r.Verdict, "%s: %s", c.url, r.Value)
		require.Contains(t, r.Value, c.value)
	}
}

// A running agent keeps its connection when the doctor looks at the broker.
func TestBrokerKeepsTheAgent(t *testing.T) {
	broker, err := mqtt.OpenBroker(0)
	require.NoError(t, err)
	defer func() { require.NoError(t, broker.Close()) }()
	b := newBench(t)
	b.rig.MQTT.Broker = broker.URL()
	// The agent's telemetry, connected under its name. It may also be told of the
	// loss that its own leaving is: that one nobody waits for.
	thrownOut := make(chan error, 1)
	running := paho.NewClient(paho.NewClientOptions().AddBroker(broker.URL()).SetClientID("twinrig-" + b.rig.Name).
		SetAutoReconnect(false).
		SetConnectionLostHandler(func(_ paho.Client, err error) { thrownOut <- err }))
	token := running.Connect()
	require.True(t, token.WaitTimeout(knock))
	require.NoError(t, token.Error())
	for range 3 {
		r := checkBroker(context.Background(), b)
		require.Equal(t, OK, r.Verdict, r.Value)
	}
	// It is still heard.
	token = running.Publish("twinrig/x", 1, false, "still here")
	require.True(t, token.WaitTimeout(knock))
	require.NoError(t, token.Error())
	select {
	case err := <-thrownOut:
		t.Errorf("the agent was thrown out: %v", err)
	default:
	}
	running.Disconnect(0)
}

// A study runs without the broker that nobody named.
func TestDefaultBrokerMayBeAbsent(t *testing.T) {
	b := newBench(t)
	if c, err := net.Dial("tcp", "127.0.0.1:1883"); err == nil {
		c.Close()
		t.Skip("a broker runs on this machine")
	}
	r := checkBroker(context.Background(), b)
	require.Equal(t, Warn, r.Verdict)
	require.Contains(t, r.Value, "a study runs without telemetry")

	b.rig.MQTT.Username, b.rig.MQTT.PasswordFile = "u", "/nowhere/secret"
	r = checkBroker(context.Background(), b)
	require.Equal(t, Fail, r.Verdict)
	require.Contains(t, r.Value, "/nowhere/secret")
}
