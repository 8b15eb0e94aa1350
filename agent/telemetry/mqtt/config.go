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
	// Rate is how often the state is published at most.
	Rate float64 `yaml:"state_rate_hz"`
	// Queue is how many gaps and events may wait for the broker.
	Queue int `yaml:"queue_messages"`
	// Retry is the pause before a lost broker is tried again.
	Retry time.Duration `yaml:"retry"`
}

// DefaultConfig publishes to a broker on this machine.
func DefaultConfig() Config {
	return Config{Broker: "tcp://127.0.0.1:1883", Rate: 20, Queue: 1024, Retry: 2 * time.Second}
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
	case !(c.Rate > 0 && c.Rate <= 1000):
		return fmt.Errorf("state_rate_hz: %g is not above 0 and at most 1000", c.Rate)
	case c.Queue < 1 || c.Queue > 1<<20:
		return fmt.Errorf("queue_messages: %d is not 1 to %d", c.Queue, 1<<20)
	case c.Retry <= 0:
		return fmt.Errorf("retry: %v is not above 0", c.Retry)
	}
	return nil
}

// checkRig refuses a rig's name that cannot be one level of a topic.
func checkRig(rig string) error {
	if rig == "" || strings.ContainsAny(rig, "/+#\x00") {
		return fmt.Errorf("rig %q: a name without / + # is needed", rig)
	}
	return nil
}
