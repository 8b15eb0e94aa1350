package mqtt

import (
	"fmt"
	"log/slog"
	"net"
	"strconv"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/listeners"
)

// Broker is an MQTT broker inside this process, for a demonstration or a test.
// Whoever is on this machine may connect.
type Broker struct {
	server *mochi.Server
	url    string
}

// OpenBroker serves on 127.0.0.1 at port; 0 takes a free one.
func OpenBroker(port int) (*Broker, error) {
	server := mochi.New(&mochi.Options{Logger: slog.New(slog.DiscardHandler)})
	if err := server.AddHook(new(auth.AllowHook), nil); err != nil {
		return nil, fmt.Errorf("mqtt: broker: %w", err)
	}
	listener := listeners.NewTCP(listeners.Config{
		ID: "tcp", Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
	})
	if err := server.AddListener(listener); err != nil {
		return nil, fmt.Errorf("mqtt: broker: %w: another one is running? choose another port", err)
	}
	if err := server.Serve(); err != nil {
		return nil, fmt.Errorf("mqtt: broker: %w", err)
	}
	return &Broker{server, "tcp://" + listener.Address()}, nil
}

// URL is the address that clients connect to.
func (b *Broker) URL() string { return b.url }

// Close disconnects all clients and stops.
func (b *Broker) Close() error {
	if err := b.server.Close(); err != nil {
		return fmt.Errorf("mqtt: broker: %w", err)
	}
	return nil
}
