package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
)

// ask is one request and its answer.
func ask(t *testing.T, method, url string, edit func(*http.Request)) (code int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	require.NoError(t, err)
	if edit != nil {
		edit(req)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}

// A program starts the agent, is told in one line where it is, watches it, and
// halts the arm: with the token only.
func TestAgentListens(t *testing.T) {
	rig := serve(t)
	c := agentOn(t, rig, "", "--listen", "127.0.0.1:0", "--json")
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() }) // in case the test failed before it ended
	var at agentReady
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(line), &at))
	require.Equal(t, "tcp://127.0.0.1:1883", at.MQTT)
	info, err := os.Stat(at.TokenFile)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	token, err := os.ReadFile(at.TokenFile)
	require.NoError(t, err)

	var h health
	var code int
	look := func() int {
		code, body := ask(t, http.MethodGet, at.URL+"/healthz", nil)
		h = health{}
		require.NoError(t, json.Unmarshal([]byte(body), &h))
		return code
	}
	require.Equal(t, http.StatusOK, look(), "%+v", &h)
	require.Equal(t, []string{"ok", "bench", ""}, []string{h.Status, h.Rig, h.Fault})

	var page string
	require.Eventually(t, func() bool { // its first turn of the servos' slow registers
		code, page = ask(t, http.MethodGet, at.URL+"/metrics", nil)
		return strings.Contains(page, `twinrig_servo_temperature_celsius{axis="elbow",id="4",rig="bench",shadow="false"}`)
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, http.StatusOK, code)
	for _, want := range []string{
		`twinrig_loop_lateness_seconds_bucket{rig="bench",le="+Inf"}`, `twinrig_loop_ticks_total{rig="bench"}`,
		`twinrig_bus_errors_total{kind="timeout",rig="bench"}`, `twinrig_bus_transactions_total{rig="bench"}`,
		`twinrig_telemetry_waiting{rig="bench",stream="trial"}`, `twinrig_telemetry_dropped_total{rig="bench",stream="state"}`,
		`twinrig_fault{rig="bench"} 0`,
	} {
		require.Contains(t, page, want)
	}

	for name, tc := range map[string]struct {
		path string
		edit func(*http.Request)
		want int
	}{
		"no token":          {"/api/halt", nil, http.StatusUnauthorized},
		"wrong token":       {"/api/halt", func(r *http.Request) { r.Header.Set("Authorization", "Bearer guess") }, http.StatusUnauthorized},
		"a page's name":     {"/api/halt", func(r *http.Request) { r.Host = "evil.example" }, http.StatusMisdirectedRequest},
		"a page's metrics":  {"/metrics", func(r *http.Request) { r.Host = "evil.example:80" }, http.StatusMisdirectedRequest},
		"nothing there":     {"/", nil, http.StatusNotFound},
		"not to be written": {"/healthz", nil, http.StatusMethodNotAllowed},
	} {
		code, _ := ask(t, http.MethodPost, at.URL+tc.path, tc.edit)
		require.Equal(t, tc.want, code, name)
	}
	huge, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.URL+"/metrics", http.NoBody)
	require.NoError(t, err)
	huge.Header.Set("X", strings.Repeat("x", 1<<20))
	if res, err := http.DefaultClient.Do(huge); err == nil { // or it is hung up on
		require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, res.StatusCode)
		require.NoError(t, res.Body.Close())
	}
	require.Equal(t, http.StatusOK, look(), "nobody halted it")

	code, said := ask(t, http.MethodPost, at.URL+"/api/halt", func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	})
	require.Equal(t, http.StatusOK, code, said)
	require.Zero(t, registers(rig, dynamixel.TorqueEnable))
	require.Eventually(t, func() bool { return look() == http.StatusServiceUnavailable }, time.Minute, 10*time.Millisecond)
	require.Equal(t, "halted", h.Status)

	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.Empty(t, rest, "one line, for a program")
	require.Error(t, c.Wait())
	require.Equal(t, exitInterrupted, c.ProcessState.ExitCode())
	require.NoFileExists(t, at.TokenFile)
}

// Nothing but this machine is listened on.
func TestListenRefusesOthers(t *testing.T) {
	for _, address := range []string{"0.0.0.0:8080", ":8080", "192.168.7.1:8080", "[::]:8080", "robot.lab:8080"} {
		err := checkLoopback(address)
		require.ErrorContains(t, err, "--listen "+address)
		require.ErrorContains(t, err, "ssh -L 8080:127.0.0.1:8080 HOST")
	}
	require.ErrorContains(t, checkLoopback("8080"), "write 127.0.0.1:PORT")
	for _, address := range []string{"127.0.0.1:0", "127.8.8.8:1", "localhost:8080", "[::1]:8080"} {
		require.NoError(t, checkLoopback(address))
	}
	c := root()
	c.SetArgs([]string{"agent", "--rig", "none.yaml", "--listen", "0.0.0.0:8080"})
	c.SetErr(io.Discard)
	c.SetOut(io.Discard)
	var usage usageError
	require.ErrorAs(t, c.Execute(), &usage)
	require.ErrorContains(t, usage, "0.0.0.0:8080")
}

// A taken port is an error that names it, and leaves no token behind.
func TestListenPortTaken(t *testing.T) {
	dir := t.TempDir()
	build := func(*server) (*http.ServeMux, error) { return http.NewServeMux(), nil }
	s, err := listen("127.0.0.1:0", dir, "one", build)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.close()) }()
	address := strings.TrimPrefix(s.url, "http://")
	_, err = listen(address, dir, "two", build)
	require.ErrorContains(t, err, fmt.Sprintf("--listen %s: ", address))
	require.ErrorContains(t, err, "choose another port")
	require.NoFileExists(t, dir+"/two")
}
