package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/agent"
	"twinrig/sim/virtual"
)

// twinrigCommand runs the command line in this process.
func twinrigCommand(args ...string) (string, error) {
	c := root()
	var out bytes.Buffer
	c.SetOut(&out)
	c.SetArgs(args)
	err := c.ExecuteContext(context.Background())
	return out.String(), err
}

func TestBusCommands(t *testing.T) {
	clock, err := agent.OpenClock()
	require.NoError(t, err)
	rig, err := virtual.Serve(virtual.DefaultConfig(), clock.Now, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, rig.Close()) }()
	port := "--port=" + rig.PortPath()

	out, err := twinrigCommand("bus", "scan", port)
	require.NoError(t, err)
	require.Contains(t, out, "XL430-W250")
	for _, id := range []string{"1 ", "7 ", "9 "} {
		require.Contains(t, out, id)
	}
	out, err = twinrigCommand("bus", "read", "2", "position_p_gain", "model_number", port)
	require.NoError(t, err)
	require.Contains(t, out, "800")
	require.Contains(t, out, "1020")
	out, err = twinrigCommand("bus", "read", "9", port)
	require.NoError(t, err)
	require.Contains(t, out, "present_load")
	require.NotContains(t, out, "present_current", "an XL430 senses none")
	out, err = twinrigCommand("bus", "write", "3", "led", "1", port)
	require.NoError(t, err)
	require.Contains(t, out, "servo 3: led is 1")

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"write", "1", "torque_enable", "1"}, "--moves"},
		{[]string{"write", "1", "goal_position", "2000000"}, "outside -1048575 to 1048575"},
		{[]string{"write", "1", "present_position", "1"}, "read only"},
		{[]string{"write", "1", "led", "on"}, "no whole number"},
		{[]string{"write", "9", "goal_current", "1"}, "has no register"},
		{[]string{"read", "300", "led"}, "not 0 to 252"},
	} {
		_, err := twinrigCommand(append([]string{"bus", port}, c.args...)...)
		require.ErrorContains(t, err, c.want)
		require.ErrorAs(t, err, &usageError{}, c.want)
	}
	_, err = twinrigCommand("bus", "read", "42", "led", port)
	require.ErrorContains(t, err, "id 42")
	_, err = twinrigCommand("bus", "scan", "--port=/dev/nowhere")
	require.ErrorContains(t, err, "/dev/nowhere")
}
