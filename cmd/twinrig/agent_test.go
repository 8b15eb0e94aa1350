package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/agent"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/sim/virtual"
)

// mainEnv makes the test binary the command itself, for tests that kill it.
const mainEnv = "TWINRIG_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainEnv) != "" {
		os.Exit(run())
	}
	os.Exit(m.Run())
}

// startAgent runs `twinrig agent` in torque mode on the virtual rig and waits
// until it says that it holds.
func startAgent(t *testing.T, rig *virtual.Paced) (c *exec.Cmd, lines *bufio.Scanner) {
	t.Helper()
	c = agentOn(t, rig, "")
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	c.Stderr = c.Stdout
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() }) // in case the test failed before it ended
	lines = bufio.NewScanner(out)
	awaitLine(t, lines, "holding at")
	return c, lines
}

// agentOn is that program, not yet started; more is for its rig file.
func agentOn(t *testing.T, rig *virtual.Paced, more string, flags ...string) *exec.Cmd {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rig.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil,
		"name: bench\nserial: {port: %s}\nbus: {allowance: 30ms, retries: 0}\narm: {mode: torque, watchdog: 400ms}\nloop: {rate_hz: 100, recovery: {cool_down: 0s}}\n%s",
		rig.PortPath(), more), 0o600))
	c := exec.Command(os.Args[0], append([]string{"agent", "--rig", file}, flags...)...)
	c.Env = append(os.Environ(), mainEnv+"=1", "STATE_DIRECTORY="+filepath.Dir(file))
	return c
}

func awaitLine(t *testing.T, lines *bufio.Scanner, want string) {
	t.Helper()
	var seen []string
	for lines.Scan() {
		if seen = append(seen, lines.Text()); strings.Contains(lines.Text(), want) {
			return
		}
	}
	require.Fail(t, "not said: "+want, strings.Join(seen, "\n"))
}

func serve(t *testing.T) *virtual.Paced {
	t.Helper()
	clock, err := agent.OpenClock()
	require.NoError(t, err)
	rig, err := virtual.Serve(virtual.DefaultConfig(), clock.Now, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rig.Close()) })
	return rig
}

func registers(rig *virtual.Paced, r dynamixel.Register) (v [9]int32) {
	rig.Chain().Do(func(servos []*servotest.Servo) {
		for i, s := range servos {
			v[i] = s.Get(r)
		}
	})
	return v
}

// Killed with SIGKILL in torque mode, the program leaves an arm that holds where
// it was; the next one parks it before it does anything else.
func TestKilledAgentLeavesAnArmThatHolds(t *testing.T) {
	rig := serve(t)
	c, _ := startAgent(t, rig)
	before := registers(rig, dynamixel.PresentPosition)
	require.EqualValues(t, dynamixel.ModeCurrent, registers(rig, dynamixel.OperatingMode)[1])
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
	require.Eventually(t, func() bool {
		return registers(rig, dynamixel.OperatingMode) == [9]int32{3, 3, 3, 3, 3, 3, 3, 3, 3} &&
			registers(rig, dynamixel.TorqueEnable) == [9]int32{1, 1, 1, 1, 1, 1, 1, 1, 1}
	}, time.Minute, 10*time.Millisecond, "its guardian catches it")
	after := registers(rig, dynamixel.PresentPosition)
	for i := range before {
		require.Less(t, math.Abs(float64(after[i]-before[i])), 60.0, "id %d", i+1)
	}

	c, lines := startAgent(t, rig)
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	awaitLine(t, lines, "arm parked, torque off")
	require.Error(t, c.Wait())
	require.Equal(t, exitInterrupted, c.ProcessState.ExitCode())
	require.Zero(t, registers(rig, dynamixel.TorqueEnable))
}

// The daemon lives through what befalls its arm: a servo that shuts itself down,
// and a pulled cable.
func TestAgentRecovers(t *testing.T) {
	rig := serve(t)
	c, lines := startAgent(t, rig)
	require.NoError(t, rig.Chain().Inject(servotest.Fault{Kind: servotest.Overload, IDs: []int{4}}))
	awaitLine(t, lines, "elbow reports hardware error 0x20, overload")
	awaitLine(t, lines, "holding again")
	require.NoError(t, rig.Chain().Inject(servotest.Fault{Kind: servotest.Unplugged, For: 2 * time.Second}))
	awaitLine(t, lines, "the arm is out of reach")
	awaitLine(t, lines, "holding again")
	require.Equal(t, [9]int32{1, 1, 1, 1, 1, 1, 1, 1, 1}, registers(rig, dynamixel.TorqueEnable))
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	awaitLine(t, lines, "arm parked, torque off")
	require.Error(t, c.Wait())
	require.Zero(t, registers(rig, dynamixel.TorqueEnable))
}
