package mqtt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/stretchr/testify/require"

	"twinrig/agent/telemetry/mqtt"
)

// answer is what comes on reply/VERB.
type answer struct {
	Client, Nonce, Detail string
	Done                  bool
}

// commander remembers what it was asked for.
type commander struct {
	mu      sync.Mutex
	did     []string
	done    []string
	hold    chan struct{} // start waits for it
	verdict mqtt.Verdict
}

func (c *commander) do(what, client string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.did = append(c.did, what+" by "+client)
	return what + " is done", nil
}

func (c *commander) Start(client string) (string, error) {
	if c.hold != nil {
		<-c.hold
	}
	return c.do("start", client)
}
func (c *commander) Stop(client string) (string, error) { return "", errors.New("nothing goes on") }
func (c *commander) Halt(client string) (string, error) { return c.do("halt", client) }
func (c *commander) Label(client string, v mqtt.Verdict) (string, error) {
	c.verdict = v
	return c.do("label", client)
}

func (c *commander) Done(client, verb, said string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = append(c.done, fmt.Sprint(client, " ", verb, " ", said, " ", err))
}

const key = "0123456789abcdef0123456789abcdef"

// commanded is a configuration in which console may do all, and guest halt.
func commanded(t *testing.T, url string) mqtt.Config {
	t.Helper()
	dir := t.TempDir()
	cfg := config(url)
	cfg.QueueFile = filepath.Join(dir, "queue.db")
	for i, c := range []mqtt.Client{{Name: "console", May: mqtt.Verbs}, {Name: "guest", May: []string{"halt"}}} {
		c.KeyFile = filepath.Join(dir, c.Name)
		require.NoError(t, os.WriteFile(c.KeyFile, fmt.Appendf(nil, "%s%d\n", key, i), 0o600))
		cfg.Commands = append(cfg.Commands, c)
	}
	return cfg
}

// orders is a client's connection.
type orders struct {
	client paho.Client
	got    <-chan message
	nonces int
}

func newOrders(t *testing.T, url string) *orders {
	t.Helper()
	o := &orders{got: listen(t, url, "twinrig/bench/reply/+")}
	o.client = paho.NewClient(paho.NewClientOptions().AddBroker(url).SetClientID("orders"))
	token := o.client.Connect()
	token.Wait()
	require.NoError(t, token.Error())
	t.Cleanup(func() { o.client.Disconnect(0) })
	return o
}

// sign is a good order, after edit has had its way before the signature.
func (o *orders) sign(verb, client, key string, edit func(*mqtt.Order)) []byte {
	o.nonces++
	order := mqtt.Order{
		Client: client, Nonce: fmt.Sprintf("nonce-%016d", o.nonces), At: time.Now().UTC().Format(time.RFC3339),
	}
	if edit != nil {
		edit(&order)
	}
	order.Sign([]byte(key), "twinrig/bench/cmd/"+verb)
	data, err := json.Marshal(order)
	if err != nil {
		panic(err)
	}
	return data
}

func (o *orders) send(t *testing.T, verb string, payload []byte, retained bool) {
	t.Helper()
	token := o.client.Publish("twinrig/bench/cmd/"+verb, 1, retained, payload)
	token.Wait()
	require.NoError(t, token.Error())
}

// ask sends and returns the reply on the verb's topic.
func (o *orders) ask(t *testing.T, verb string, payload []byte) answer {
	t.Helper()
	o.send(t, verb, payload, false)
	m := <-o.got
	require.Equal(t, "twinrig/bench/reply/"+verb, m.topic)
	return decode[answer](t, m)
}

// obeyed opens a publisher that obeys, and waits until it does.
func obeyed(t *testing.T, cfg mqtt.Config) (*mqtt.Publisher, *commander, *orders) {
	t.Helper()
	p, _ := open(t, cfg)
	to := &commander{}
	p.Obey(to)
	o := newOrders(t, cfg.Broker)
	require.Eventually(t, func() bool {
		o.send(t, "stop", o.sign("stop", "console", key+"0", nil), false)
		select {
		case <-o.got:
			return true
		case <-time.After(20 * time.Millisecond):
			return false
		}
	}, time.Minute, time.Millisecond)
	for len(o.got) > 0 {
		<-o.got
	}
	return p, to, o
}

func TestOrders(t *testing.T) {
	b := broker(t, 0)
	_, to, o := obeyed(t, commanded(t, b.URL()))
	got := o.ask(t, "start", o.sign("start", "console", key+"0", nil))
	require.Equal(t, answer{"console", fmt.Sprintf("nonce-%016d", o.nonces), "start is done", true}, got)
	got = o.ask(t, "stop", o.sign("stop", "console", key+"0", nil))
	require.Equal(t, answer{"console", fmt.Sprintf("nonce-%016d", o.nonces), "nothing goes on", false}, got)
	got = o.ask(t, "label", o.sign("label", "console", key+"0", func(o *mqtt.Order) {
		o.Args = `{"trial":"0001","success":true,"labels":[],"reason":"it was in the bowl"}`
	}))
	require.True(t, got.Done)
	require.Equal(t, mqtt.Verdict{Trial: "0001", Success: true, Labels: []string{}, Reason: "it was in the bowl"}, to.verdict)
	require.True(t, o.ask(t, "halt", o.sign("halt", "guest", key+"1", nil)).Done)
	require.Equal(t, []string{"start by console", "label by console", "halt by guest"}, to.did)
	require.Contains(t, to.done, "guest halt halt is done <nil>")
}

// What is not an order of somebody who may, of now, for this rig, is refused, and
// a stranger learns nothing else.
func TestOrdersRefused(t *testing.T) {
	b := broker(t, 0)
	_, to, o := obeyed(t, commanded(t, b.URL()))
	const stranger = "client or hmac_sha256 is not known"
	good := func(edit func(*mqtt.Order)) []byte { return o.sign("halt", "console", key+"0", edit) }
	for name, tc := range map[string]struct {
		payload []byte
		want    string
	}{
		"unknown client":  {o.sign("halt", "nobody", key+"0", nil), stranger},
		"no client":       {o.sign("halt", "", "", nil), stranger},
		"another's key":   {o.sign("halt", "guest", key+"0", nil), stranger},
		"other verb":      {o.sign("start", "console", key+"0", nil), stranger},
		"changed after":   {[]byte(strings.Replace(string(good(nil)), "Z", ".5Z", 1)), stranger},
		"no mac":          {[]byte(`{"client":"console","nonce":"nonce-0123456789"}`), stranger},
		"too old":         {good(func(o *mqtt.Order) { o.At = time.Now().Add(-time.Minute).UTC().Format(time.RFC3339) }), "s from this rig's clock, at most 30 are allowed"},
		"from the future": {good(func(o *mqtt.Order) { o.At = time.Now().Add(time.Minute).UTC().Format(time.RFC3339) }), "s from this rig's clock"},
		"no time":         {good(func(o *mqtt.Order) { o.At = "now" }), "as RFC 3339 writes it"},
	} {
		got := o.ask(t, "halt", tc.payload)
		require.False(t, got.Done, name)
		require.Contains(t, got.Detail, tc.want, name)
	}
	got := o.ask(t, "start", o.sign("start", "guest", key+"1", nil))
	require.Equal(t, "guest may not start: it may halt", got.Detail)
	o.send(t, "halt", good(nil), true)
	// To a subscriber that was there it comes as new: only who comes later sees
	// that it was retained, and must not obey.
	require.True(t, decode[answer](t, <-o.got).Done)

	// These are no orders; nobody is answered. The last one is.
	for _, junk := range []string{"", "halt", "{", "[]", `{"client":"console"}`, `{"client":1}`, strings.Repeat(" ", 9000) + "{}", string(good(nil)) + "{}"} {
		o.send(t, "halt", []byte(junk), false)
	}
	require.True(t, o.ask(t, "halt", good(nil)).Done)
	require.Equal(t, []string{"halt by console", "halt by console"}, to.did)
}

// A retained order that waits at the broker is not for the rig that comes.
func TestRetainedOrder(t *testing.T) {
	b := broker(t, 0)
	o := newOrders(t, b.URL())
	o.send(t, "halt", o.sign("halt", "console", key+"0", nil), true)
	p, _ := open(t, commanded(t, b.URL()))
	p.Obey(&commander{})
	got := decode[answer](t, <-o.got)
	require.False(t, got.Done)
	require.Contains(t, got.Detail, "retained")
}

// An order that is delivered twice is carried out once and answered twice; sent
// again after a restart, it is refused.
func TestReplay(t *testing.T) {
	b := broker(t, 0)
	cfg := commanded(t, b.URL())
	p, to, o := obeyed(t, cfg)
	payload := o.sign("start", "console", key+"0", nil)
	first := o.ask(t, "start", payload)
	require.True(t, first.Done)
	require.Equal(t, first, o.ask(t, "start", payload))
	require.Equal(t, []string{"start by console"}, to.did)

	again := o.sign("start", "console", key+"0", func(o *mqtt.Order) { o.Nonce = first.Nonce; o.Args = "{}" })
	require.Contains(t, o.ask(t, "start", again).Detail, "was used before")
	require.NoError(t, p.Close())

	_, to, o = obeyed(t, cfg)
	got := o.ask(t, "start", payload)
	require.False(t, got.Done)
	require.Contains(t, got.Detail, "was used before")
	require.Empty(t, to.did)
}

// While one order is carried out, others are told so; halt does not wait.
func TestHaltDoesNotWait(t *testing.T) {
	b := broker(t, 0)
	_, to, o := obeyed(t, commanded(t, b.URL()))
	to.hold = make(chan struct{})
	o.send(t, "start", o.sign("start", "console", key+"0", nil), false)
	require.Eventually(t, func() bool { // until it has begun
		got := o.ask(t, "stop", o.sign("stop", "console", key+"0", nil))
		return strings.HasPrefix(got.Detail, "busy with another order")
	}, time.Minute, time.Millisecond)
	require.True(t, o.ask(t, "halt", o.sign("halt", "console", key+"0", nil)).Done)
	close(to.hold)
	m := <-o.got
	require.True(t, decode[answer](t, m).Done)
	require.Equal(t, []string{"halt by console", "start by console"}, to.did)
}

// Without a list of clients nobody is listened to.
func TestNoCommands(t *testing.T) {
	b := broker(t, 0)
	cfg := commanded(t, b.URL())
	cfg.Commands = nil
	p, _ := open(t, cfg)
	to := &commander{}
	p.Obey(to)
	require.Eventually(t, func() bool { return p.Stats().Connected }, time.Minute, time.Millisecond)
	o := newOrders(t, b.URL())
	o.send(t, "halt", o.sign("halt", "console", key+"0", nil), false)
	require.NoError(t, p.Close())
	require.Empty(t, o.got)
	require.Empty(t, to.did)
}

func TestClientsRefused(t *testing.T) {
	dir := t.TempDir()
	good, short, open := filepath.Join(dir, "good"), filepath.Join(dir, "short"), filepath.Join(dir, "open")
	require.NoError(t, os.WriteFile(good, []byte(key), 0o600))
	require.NoError(t, os.WriteFile(short, []byte("secret"), 0o600))
	require.NoError(t, os.WriteFile(open, []byte(key), 0o600))
	require.NoError(t, os.Chmod(open, 0o644))
	halt := []string{"halt"}
	for _, tc := range []struct {
		clients []mqtt.Client
		want    string
	}{
		{[]mqtt.Client{{KeyFile: good, May: halt}}, `commands: client "": a name without`},
		{[]mqtt.Client{{Name: "a/b", KeyFile: good, May: halt}}, `commands: client "a/b": a name without`},
		{[]mqtt.Client{{Name: "a", KeyFile: good, May: halt}, {Name: "a", KeyFile: good, May: halt}}, `client "a" is there twice`},
		{[]mqtt.Client{{Name: "a", May: halt}}, "a: has no key_file: `openssl rand -hex 32` makes one"},
		{[]mqtt.Client{{Name: "a", KeyFile: good}}, "a: may do nothing: list any of start, stop, halt, label in may"},
		{[]mqtt.Client{{Name: "a", KeyFile: good, May: []string{"fly"}}}, `a: may: "fly" is none of start, stop, halt, label`},
		{[]mqtt.Client{{Name: "a", KeyFile: short, May: halt}}, "holds 6 characters, at least 16 are wanted"},
		{[]mqtt.Client{{Name: "a", KeyFile: open, May: halt}}, "others may read " + open + ": chmod 600 it"},
		{[]mqtt.Client{{Name: "a", KeyFile: dir + "/none", May: halt}}, "no such file"},
	} {
		cfg := config("tcp://127.0.0.1:1")
		cfg.QueueFile, cfg.Commands = filepath.Join(t.TempDir(), "queue.db"), tc.clients
		_, err := mqtt.Open(cfg, "bench", nil)
		require.ErrorContains(t, err, "mqtt: commands: ")
		require.ErrorContains(t, err, tc.want)
		require.NotContains(t, err.Error(), key)
	}
	cfg := commanded(t, "tcp://127.0.0.1:1")
	cfg.QueueFile = ""
	_, err := mqtt.Open(cfg, "bench", nil)
	require.ErrorContains(t, err, "commands: need a queue_file")
}
