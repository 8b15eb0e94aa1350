package doctor

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"twinrig/agent/telemetry/mqtt"
)

// knock is how long a server on the network may take to answer.
const knock = 4 * time.Second

func networkChecks() []check {
	return []check{
		{name: "broker", limit: 2 * knock, run: checkBroker},
		{name: "policy server", limit: 2 * knock, run: checkPolicy},
	}
}

// checkBroker logs in to the broker and leaves again, under a name of its own:
// the broker would throw out a running agent for another of its name. A study
// runs without telemetry; but where the rig file names a broker, it is wanted.
func checkBroker(_ context.Context, b *bench) Result {
	cfg := &b.rig.MQTT
	o, err := brokerOptions(cfg)
	if err != nil {
		return fail("correct the rig's section mqtt", "%v", err)
	}
	begin := b.clock.Now()
	client := paho.NewClient(o)
	token := client.Connect()
	token.WaitTimeout(knock)
	defer client.Disconnect(0)
	if err := token.Error(); err != nil || !client.IsConnected() {
		if err == nil {
			err = fmt.Errorf("no answer in %v", knock)
		}
		const fix = "start a broker (sudo systemctl start mosquitto), or correct mqtt.broker, username and password_file"
		if cfg.Broker == mqtt.DefaultConfig().Broker {
			return warn(fix, "%s: %v; a study runs without telemetry", cfg.Broker, rootCause(err))
		}
		return fail(fix, "%s: %v", cfg.Broker, rootCause(err))
	}
	return okay("%s, connected in %.0f ms", cfg.Broker, 1000*(b.clock.Now()-begin).Seconds())
}

// brokerOptions are those of the telemetry, but for the client's name and what
// it would leave behind.
func brokerOptions(cfg *mqtt.Config) (*paho.ClientOptions, error) {
	o := paho.NewClientOptions().AddBroker(cfg.Broker).
		SetClientID(fmt.Sprintf("twinrig-doctor-%d", os.Getpid())).
		SetCleanSession(true).SetAutoReconnect(false).SetConnectTimeout(knock)
	if err := cfg.Login(o); err != nil {
		return nil, fmt.Errorf("mqtt.%w", err)
	}
	return o, nil
}

func checkPolicy(ctx context.Context, b *bench) Result {
	address := b.rig.PolicyServer
	if address == "" {
		return okay("none named: the policy is built in")
	}
	u, err := url.Parse(address)
	if err != nil {
		return fail("correct policy_server in the rig file", "%v", err)
	}
	const fix = "start the policy server, or correct policy_server in the rig file"
	begin := b.clock.Now()
	ctx, cancel := context.WithTimeout(ctx, knock)
	defer cancel()
	_, u.Scheme, _ = strings.Cut(u.Scheme, "+")
	if err := visit(ctx, *u); err != nil {
		return fail(fix, "%s: %v", address, rootCause(err))
	}
	return okay("%s, answers in %.0f ms", address, 1000*(b.clock.Now()-begin).Seconds())
}

// visit asks a server for its first page, or to become a WebSocket (RFC 6455,
// 4.1). What a page says does not matter, but that the server is up.
func visit(ctx context.Context, u url.URL) error {
	socket := strings.HasPrefix(u.Scheme, "ws")
	u.Scheme = strings.Replace(u.Scheme, "ws", "http", 1)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return err
	}
	if socket {
		key := make([]byte, 16)
		_, _ = rand.Read(key) // never fails
		for name, value := range map[string]string{
			"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
			"Sec-WebSocket-Key": base64.StdEncoding.EncodeToString(key),
		} {
			req.Header.Set(name, value)
		}
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: !socket}}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch {
	case socket && res.StatusCode != http.StatusSwitchingProtocols:
		return fmt.Errorf("answers %q, not as a WebSocket", res.Status)
	case res.StatusCode >= http.StatusInternalServerError:
		return fmt.Errorf("answers %q", res.Status)
	}
	return nil
}

// rootCause leaves out the address, which the message has already.
func rootCause(err error) error {
	var asked *url.Error
	if errors.As(err, &asked) {
		err = asked.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
