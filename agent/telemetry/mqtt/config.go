package mqtt

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Config describes the connection to a broker.
type Config struct {
	// Broker is the broker's address: "tcp://host:1883", or "tls://host:8883".
	Broker string `yaml:"broker"`
	// Username and PasswordFile log in to the broker; empty does not. The
	// file holds the password alone.
	Username     string `yaml:"username"`
	PasswordFile string `yaml:"password_file"`
	// CAFile holds the certificates (PEM) that a tls broker is trusted by;
	// empty takes the system's.
	CAFile string `yaml:"ca_file"`
	// CertFile and KeyFile (PEM) are what a tls broker may know this rig by;
	// empty shows none.
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
	// How many messages of a stream there are at most in a second, by the
	// rig's clock; 0 is none at all.
	StateRate  float64 `yaml:"state_rate_hz"`
	ServoRate  float64 `yaml:"servo_rate_hz"`
	GapRate    float64 `yaml:"gap_rate_hz"`
	CameraRate float64 `yaml:"camera_rate_hz"`
	// QueueFile keeps events and results until the broker has them. Empty
	// keeps them in memory: they end with the program. Queue is how many may
	// wait.
	QueueFile string `yaml:"queue_file"`
	Queue     int    `yaml:"queue_messages"`
	// Commands are the clients that may command the rig; none by default.
	Commands []Client `yaml:"commands,omitempty"`
	// Retry is the pause before a lost broker is tried again.
	Retry time.Duration `yaml:"retry"`
}

// DefaultConfig publishes to a broker on this machine.
func DefaultConfig() Config {
	return Config{
		Broker:    "tcp://127.0.0.1:1883",
		StateRate: 20, ServoRate: 1, GapRate: 10, CameraRate: 5,
		Queue: 100_000, Retry: 2 * time.Second,
	}
}

// Validate names the key that is out of its range.
func (c *Config) Validate() error {
	u, err := url.Parse(c.Broker)
	switch {
	case err != nil:
		return fmt.Errorf("broker: %w", err)
	case u.Scheme != "tcp" && u.Scheme != "tls" || u.Port() == "":
		return fmt.Errorf("broker: %q is not tcp://host:port or tls://host:port", c.Broker)
	case c.PasswordFile != "" && c.Username == "":
		return errors.New("password_file: is given without a username")
	case c.CAFile != "" && u.Scheme != "tls":
		return errors.New("ca_file: is given, but the broker is not a tls:// one")
	case c.CertFile != "" && u.Scheme != "tls":
		return errors.New("cert_file: is given, but the broker is not a tls:// one")
	case (c.CertFile == "") != (c.KeyFile == ""):
		return errors.New("cert_file, key_file: one is of no use without the other")
	case c.Queue < 1 || c.Queue > 1<<20:
		return fmt.Errorf("queue_messages: %d is not 1 to %d", c.Queue, 1<<20)
	case c.Retry <= 0:
		return fmt.Errorf("retry: %v is not above 0", c.Retry)
	}
	for _, r := range []struct {
		key  string
		rate float64
	}{
		{"state_rate_hz", c.StateRate},
		{"servo_rate_hz", c.ServoRate},
		{"gap_rate_hz", c.GapRate},
		{"camera_rate_hz", c.CameraRate},
	} {
		if !(r.rate >= 0 && r.rate <= 1000) {
			return fmt.Errorf("%s: %g is not 0 to 1000", r.key, r.rate)
		}
	}
	return validateClients(c.Commands)
}

// fastest is the shortest period of what the control loop feeds.
func (c *Config) fastest() time.Duration {
	return time.Duration(float64(time.Second) / max(1, c.StateRate, c.ServoRate))
}

// checkRig refuses a rig's name that cannot be one level of a topic.
func checkRig(rig string) error {
	if rig == "" || strings.ContainsAny(rig, "/+#\x00") {
		return fmt.Errorf("rig %q: a name without / + # is needed", rig)
	}
	return nil
}
