package mqtt

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// Limits of one exchange with the broker.
const (
	connectTimeout = 5 * time.Second
	writeTimeout   = 2 * time.Second
	ackTimeout     = 2 * time.Second
	quiesce        = 250 // ms for the last packets, as paho counts
)

// options are paho's. It does not reconnect by itself: it may write a message
// twice at once when one is published while it does (its race, v1.5.1), and
// keeps unsent messages without a bound. The Publisher's queue is the store.
func (p *Publisher) options() (*paho.ClientOptions, error) {
	o := paho.NewClientOptions().
		AddBroker(p.cfg.Broker).
		SetClientID("twinrig-"+p.rig).
		SetCleanSession(true).
		SetOrderMatters(false).
		SetAutoReconnect(false).
		SetConnectTimeout(connectTimeout).
		SetWriteTimeout(writeTimeout).
		SetKeepAlive(10*time.Second).
		SetPingTimeout(5*time.Second).
		SetBinaryWill(p.topic("status"), p.status("offline", "lost"), 1, true)
	if p.cfg.Username != "" {
		o.SetUsername(p.cfg.Username)
	}
	if p.cfg.PasswordFile != "" {
		data, err := os.ReadFile(p.cfg.PasswordFile)
		if err != nil {
			return nil, fmt.Errorf("password_file: %w", err)
		}
		o.SetPassword(strings.TrimRight(string(data), "\r\n"))
	}
	if p.cfg.CAFile != "" {
		data, err := os.ReadFile(p.cfg.CAFile)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("ca_file: %s: holds no certificate", p.cfg.CAFile)
		}
		o.SetTLSConfig(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12})
	}
	return o, nil
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
	p.warn(fmt.Errorf("mqtt: %s: %w: start a broker there (`mosquitto`) or correct the address; the run goes on, trying again every %v",
		p.cfg.Broker, cause(err), p.cfg.Retry))
}

// cause strips paho's and net's repetitions of the address.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
