package mqtt_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/agent/telemetry/mqtt"
)

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		edit func(*mqtt.Config)
		want string
	}{
		{func(c *mqtt.Config) { c.Broker = "" }, `broker: "" is not tcp://host:port or tls://host:port`},
		{func(c *mqtt.Config) { c.Broker = "tcp://host" }, `broker: "tcp://host" is not tcp://host:port or tls://host:port`},
		{func(c *mqtt.Config) { c.Broker = "http://host:80" }, `broker: "http://host:80" is not tcp://host:port or tls://host:port`},
		{func(c *mqtt.Config) { c.PasswordFile = "secret" }, "password_file: is given without a username"},
		{func(c *mqtt.Config) { c.CAFile = "ca.pem" }, "ca_file: is given, but the broker is not a tls:// one"},
		{func(c *mqtt.Config) { c.CertFile = "rig.pem" }, "cert_file: is given, but the broker is not a tls:// one"},
		{func(c *mqtt.Config) { c.Broker, c.CertFile = "tls://h:8883", "rig.pem" }, "cert_file, key_file: one is of no use without the other"},
		{func(c *mqtt.Config) { c.StateRate = -1 }, "state_rate_hz: -1 is not 0 to 1000"},
		{func(c *mqtt.Config) { c.CameraRate = math.NaN() }, "camera_rate_hz: NaN is not 0 to 1000"},
		{func(c *mqtt.Config) { c.Queue = 0 }, "queue_messages: 0 is not 1 to 1048576"},
		{func(c *mqtt.Config) { c.Retry = -1 }, "retry: -1ns is not above 0"},
	} {
		cfg := mqtt.DefaultConfig()
		require.NoError(t, cfg.Validate())
		tc.edit(&cfg)
		require.EqualError(t, cfg.Validate(), tc.want)
		_, err := mqtt.Open(cfg, "bench", nil)
		require.EqualError(t, err, "mqtt: "+tc.want)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	noCA := filepath.Join(dir, "ca.pem")
	require.NoError(t, os.WriteFile(noCA, []byte("none"), 0o600))
	for _, tc := range []struct {
		rig  string
		edit func(*mqtt.Config)
		want string
	}{
		{"", func(*mqtt.Config) {}, `mqtt: rig "": a name without / + # is needed`},
		{"a/b", func(*mqtt.Config) {}, `mqtt: rig "a/b": a name without / + # is needed`},
		{"bench", func(c *mqtt.Config) { c.Username, c.PasswordFile = "u", dir+"/none" }, "mqtt: password_file: open " + dir + "/none: no such file or directory"},
		{"bench", func(c *mqtt.Config) { c.Broker, c.CAFile = "tls://h:8883", noCA }, "mqtt: ca_file: " + noCA + ": holds no certificate"},
	} {
		cfg := mqtt.DefaultConfig()
		tc.edit(&cfg)
		_, err := mqtt.Open(cfg, tc.rig, nil)
		require.EqualError(t, err, tc.want)
	}
}
