package mqtt

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// Give gives an order to a rig as a client of cfg's list, whose key file is read,
// and waits for the reply until ctx is done. What the rig says is said; err is
// why nothing was done.
func Give(ctx context.Context, cfg *Config, rig, client, verb, args string) (said string, err error) {
	rights, err := loadACL(cfg.Commands)
	if err != nil {
		return "", fmt.Errorf("mqtt: %w", err)
	}
	right, known := rights[client]
	if !known {
		return "", fmt.Errorf("mqtt: commands: has no client %q", client)
	}
	options := paho.NewClientOptions().
		AddBroker(cfg.Broker).SetClientID("twinrig-order-" + rand.Text()).SetProtocolVersion(mqtt311).
		SetCleanSession(true).SetAutoReconnect(false).SetConnectTimeout(connectTimeout).SetWriteTimeout(writeTimeout)
	if err := cfg.Login(options); err != nil {
		return "", fmt.Errorf("mqtt: %w", err)
	}
	base := "twinrig/" + rig + "/"
	o := Order{Client: client, Nonce: rand.Text(), At: time.Now().UTC().Format(time.RFC3339), Args: args}
	o.Sign(right.key, base+"cmd/"+verb)
	data, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("mqtt: %w", err)
	}
	replies := make(chan reply, 1)
	hear := func(_ paho.Client, m paho.Message) {
		var r reply
		if json.Unmarshal(m.Payload(), &r) != nil || r.Nonce != o.Nonce || r.Client != client {
			return // somebody else's
		}
		select {
		case replies <- r:
		default: // delivered twice
		}
	}
	c := paho.NewClient(options)
	defer c.Disconnect(0)
	for _, exchange := range []func() paho.Token{
		c.Connect,
		func() paho.Token { return c.Subscribe(base+"reply/"+verb, 1, hear) },
		func() paho.Token { return c.Publish(base+"cmd/"+verb, 1, false, data) },
	} {
		token := exchange()
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("mqtt: %s: %w", cfg.Broker, ctx.Err())
		case <-token.Done():
			if err := token.Error(); err != nil {
				return "", fmt.Errorf("mqtt: %s: %w", cfg.Broker, cause(err))
			}
		}
	}
	select {
	case <-ctx.Done():
		return "", fmt.Errorf("mqtt: %s does not answer: %w: is its agent running, with this client in its list?", rig, ctx.Err())
	case r := <-replies:
		if !r.Done {
			return "", errors.New(r.Detail)
		}
		return r.Detail, nil
	}
}
