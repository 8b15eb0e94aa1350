package mqtt

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"
)

// Limits of one exchange with the broker.
const (
	connectTimeout = 5 * time.Second
	writeTimeout   = 2 * time.Second
	ackTimeout     = 2 * time.Second
	quiesce        = 250 // ms for the last packets, as paho counts
)

// mqtt311 is the protocol's version 3.1.1 on the wire.
const mqtt311 = 4

// options are paho's. It does not reconnect by itself: it may write a message
// twice at once when one is published while it does (its race, v1.5.1), and
// keeps unsent messages without a bound. The Publisher's queue is the store.
func (p *Publisher) options() (*paho.ClientOptions, error) {
	o := paho.NewClientOptions().
		AddBroker(p.cfg.Broker).
		SetClientID("twinrig-"+p.rig).
		SetProtocolVersion(mqtt311).
		SetCleanSession(true).
		SetOrderMatters(false).
		SetAutoReconnect(false).
		SetConnectTimeout(connectTimeout).
		SetWriteTimeout(writeTimeout).
		SetKeepAlive(10*time.Second).
		SetPingTimeout(5*time.Second).
		SetBinaryWill(p.topic("status"), p.status("offline", "lost"), 1, true)
	return o, p.cfg.Login(o)
}

// connection is one connection to the broker.
type connection struct {
	client paho.Client
	lost   chan struct{} // closed when it breaks
	why    error         // then
}

// connect makes a connection; nil and no error after Close.
func (p *Publisher) connect() (*connection, error) {
	c := &connection{lost: make(chan struct{})}
	options, err := p.options()
	if err != nil {
		return nil, err
	}
	c.client = paho.NewClient(options.SetConnectionLostHandler(func(_ paho.Client, err error) {
		c.why = err
		close(c.lost)
	}))
	token := c.client.Connect()
	select {
	case <-token.Done():
		return c, token.Error()
	case <-p.done:
		c.client.Disconnect(0)
		return nil, nil
	}
}

// publish publishes one payload and tells whether the broker has it.
func (c *connection) publish(topic string, qos byte, retained bool, payload []byte) bool {
	return c.done(c.client.Publish(topic, qos, retained, payload))
}

// done waits for an exchange with the broker.
func (c *connection) done(token paho.Token) bool {
	timer := time.NewTimer(ackTimeout)
	defer timer.Stop()
	select {
	case <-token.Done():
		return token.Error() == nil
	case <-c.lost:
	case <-timer.C:
	}
	return false
}

// warnOnce tells of an outage, once.
func (p *Publisher) warnOnce(err error) {
	if p.warned {
		return
	}
	p.warned = true
	p.warn(fmt.Errorf("mqtt: %s: %w: %s; the run goes on, trying again every %v",
		p.cfg.Broker, cause(err), p.cure(err), p.cfg.Retry))
}

// cure is what to do about a connection that did not come about. A broker that
// misses a certificate may or may not get to say so before it hangs up.
func (p *Publisher) cure(err error) string {
	const there = "start a broker there (`mosquitto`) or correct the address"
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.Is(err, packets.ErrorRefusedNotAuthorised), errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword):
		return "correct username and password_file"
	case errors.As(err, &unknown):
		return "name the authority that signed the broker's certificate in ca_file"
	case strings.HasPrefix(p.cfg.Broker, "tls:") && !errors.Is(err, syscall.ECONNREFUSED):
		return there + "; if it wants certificates, name one that it accepts in cert_file"
	}
	return there
}

// cause strips paho's and net's repetitions of the address.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
