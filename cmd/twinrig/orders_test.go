package main

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/stretchr/testify/require"

	"twinrig/agent/telemetry/mqtt"
	"twinrig/drivers/dynamixel"
)

// console is a client that may command the rig, and hears what it says.
type console struct {
	client  paho.Client
	key     string
	replies chan string
	events  chan string
}

func newConsole(t *testing.T, broker, key string) *console {
	t.Helper()
	c := &console{key: key, replies: make(chan string, 100), events: make(chan string, 100)}
	c.client = paho.NewClient(paho.NewClientOptions().AddBroker(broker).SetClientID("console"))
	for _, token := range []func() paho.Token{
		c.client.Connect,
		func() paho.Token {
			return c.client.Subscribe("twinrig/bench/reply/+", 1, func(_ paho.Client, m paho.Message) { c.replies <- string(m.Payload()) })
		},
		func() paho.Token {
			return c.client.Subscribe("twinrig/bench/trial/events", 1, func(_ paho.Client, m paho.Message) { c.events <- string(m.Payload()) })
		},
	} {
		wait := token()
		wait.Wait()
		require.NoError(t, wait.Error())
	}
	t.Cleanup(func() { c.client.Disconnect(0) })
	return c
}

// order gives an order and returns whether it was done, and what was said.
func (c *console) order(t *testing.T, verb string) (done bool, detail string) {
	t.Helper()
	topic := "twinrig/bench/cmd/" + verb
	o := mqtt.Order{Client: "console", Nonce: rand.Text(), At: time.Now().Format(time.RFC3339)}
	if verb == "label" {
		o.Args = `{"trial":"0001","success":true,"reason":"seen"}`
	}
	o.Sign([]byte(c.key), topic)
	data, err := json.Marshal(o)
	require.NoError(t, err)
	token := c.client.Publish(topic, 1, false, data)
	token.Wait()
	require.NoError(t, token.Error())
	var r struct {
		Nonce, Detail string
		Done          bool
	}
	require.NoError(t, json.Unmarshal([]byte(<-c.replies), &r))
	require.Equal(t, o.Nonce, r.Nonce)
	return r.Done, r.Detail
}

// awaitEvent reads on to an event with a detail.
func (c *console) awaitEvent(t *testing.T, kind, detail string) {
	t.Helper()
	for text := range c.events {
		var e struct{ Kind, Detail string }
		require.NoError(t, json.Unmarshal([]byte(text), &e))
		if e.Kind == kind && e.Detail == detail {
			return
		}
	}
}

// A client halts the arm of a running agent, has it hold again, and ends the
// agent; each order is on record.
func TestAgentObeys(t *testing.T) {
	broker, err := mqtt.OpenBroker(0)
	require.NoError(t, err)
	defer broker.Close()
	const key = "0123456789abcdef0123456789abcdef"
	keyFile := filepath.Join(t.TempDir(), "console.key")
	require.NoError(t, os.WriteFile(keyFile, []byte(key), 0o600))
	rig := serve(t)
	c := agentOn(t, rig, fmt.Sprintf("mqtt: {broker: %s, commands: [{client: console, key_file: %s, may: [start, stop, halt, label]}]}\n",
		broker.URL(), keyFile), "--json")
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() }) // in case the test failed before it ended
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.JSONEq(t, fmt.Sprintf(`{"mqtt":%q}`, broker.URL()), line)

	console := newConsole(t, broker.URL(), key)
	done, said := console.order(t, "start")
	require.False(t, done)
	require.Contains(t, said, "held already")
	done, said = console.order(t, "label")
	require.False(t, done)
	require.Contains(t, said, "no study runs here")
	console.awaitEvent(t, "order", "label by console: not done: "+said)

	for range 2 {
		done, said = console.order(t, "halt")
		require.True(t, done, said)
		require.Equal(t, "torque is off", said)
		require.Zero(t, registers(rig, dynamixel.TorqueEnable))
		console.awaitEvent(t, "order", "halt by console: torque is off")
		require.Eventually(t, func() bool { // once the loop has noticed
			done, said = console.order(t, "start")
			return done
		}, time.Minute, 10*time.Millisecond, "%s", &said)
		require.Equal(t, [9]int32{1, 1, 1, 1, 1, 1, 1, 1, 1}, registers(rig, dynamixel.TorqueEnable))
		console.awaitEvent(t, "order", "start by console: torque is on, the arm holds")
	}

	// The command line is a client too.
	file := c.Args[slices.Index(c.Args, "--rig")+1]
	order := func(args ...string) (string, error) {
		var out strings.Builder
		cmd := root()
		cmd.SetOut(&out)
		cmd.SetArgs(append([]string{"order", "--rig", file, "--client", "console"}, args...))
		err := cmd.Execute()
		return out.String(), err
	}
	_, err = order("label", "--trial", "0007", "--reason", "seen")
	require.ErrorContains(t, err, "no study runs here")
	said, err = order("stop")
	require.NoError(t, err)
	require.Equal(t, "the arm is parked, torque goes off, and the agent ends\n", said)
	require.NoError(t, c.Wait(), "it ended as it was asked to")
	require.Zero(t, registers(rig, dynamixel.TorqueEnable))
}

func TestOrderUsage(t *testing.T) {
	rig := filepath.Join(t.TempDir(), "rig.yaml")
	require.NoError(t, os.WriteFile(rig, []byte("name: bench\n"), 0o600))
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{}, "wants one of start, stop, halt, label"},
		{[]string{"fly"}, `"fly" is none of start, stop, halt, label`},
		{[]string{"halt"}, "wants --rig FILE and --client NAME"},
		{[]string{"halt", "--rig", "nowhere.yaml", "--client", "a"}, "nowhere.yaml"},
		{[]string{"label", "--rig", rig, "--client", "a"}, "wants --trial and --reason"},
	} {
		cmd := root()
		cmd.SetArgs(append([]string{"order"}, tc.args...))
		var usage usageError
		err := cmd.Execute()
		require.ErrorAs(t, err, &usage)
		require.ErrorContains(t, err, tc.want)
	}
	cmd := root()
	cmd.SetArgs([]string{"order", "halt", "--rig", rig, "--client", "a"})
	require.ErrorContains(t, cmd.Execute(), `commands: has no client "a"`)
}
