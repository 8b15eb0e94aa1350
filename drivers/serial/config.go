package serial

import (
	"fmt"
	"slices"
	"time"
)

// Config says which port, and how fast.
type Config struct {
	// Port is the tty's path. /dev/ttyDXL is the name that UdevRule gives the
	// arm's adapter; a name in /dev/serial/by-id survives replugging too, while
	// /dev/ttyUSB0 may come back as /dev/ttyUSB1. Inspect knows the names.
	Port string `yaml:"port"`
	// Baud is the line's rate in bit/s, one of Bauds.
	Baud int `yaml:"baud"`
	// WriteTimeout bounds how long a Write waits for room in the kernel's
	// buffer.
	WriteTimeout time.Duration `yaml:"write_timeout"`
}

// Bauds are the rates that both the servos (Baud Rate register, e-manual) and
// tarm/serial know. The servos' 4.5 Mbit/s is missing: the library refuses it.
var Bauds = [...]int{9600, 57600, 115200, 1_000_000, 2_000_000, 3_000_000, 4_000_000}

// Default is the arm as Interbotix ships it.
func Default() Config {
	return Config{Port: "/dev/ttyDXL", Baud: 1_000_000, WriteTimeout: 100 * time.Millisecond}
}

// Validate names the key that is wrong and its limit.
func (c *Config) Validate() error {
	switch {
	case c.Port == "":
		return fmt.Errorf("port: is empty; name a tty such as /dev/ttyDXL")
	case !slices.Contains(Bauds[:], c.Baud):
		return fmt.Errorf("baud: %d is none of %v", c.Baud, Bauds)
	case c.WriteTimeout < time.Millisecond || c.WriteTimeout > time.Second:
		return fmt.Errorf("write_timeout: %v is outside 1ms to 1s", c.WriteTimeout)
	}
	return nil
}
