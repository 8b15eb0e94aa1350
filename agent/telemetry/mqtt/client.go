package mqtt

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
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

// options are paho's: its own defaults wait for minutes and for ever.
func (p *Publisher) options() (*paho.ClientOptions, error) {
	o := paho.NewClientOptions().
		AddBroker(p.cfg.Broker).
		SetClientID("twinrig-"+p.rig).
		SetCleanSession(true).
		SetOrderMatters(false).
		SetConnectRetry(true).
		SetConnectRetryInterval(p.cfg.Retry).
		SetMaxReconnectInterval(p.cfg.Retry).
		SetConnectTimeout(connectTimeout).
		SetWriteTimeout(writeTimeout).
		SetKeepAlive(10*time.Second).
		SetPingTimeout(5*time.Second).
		SetBinaryWill(p.topic("status"), p.status("offline", "lost"), 1, true).
		SetConnectionNotificationHandler(p.notice)
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

// notice is told by paho how the connection is. It warns once per outage.
func (p *Publisher) notice(_ paho.Client, n paho.ConnectionNotification) {
	var err error
	p.mu.Lock()
	switch n := n.(type) {
	case paho.ConnectionNotificationConnected:
		p.warned, p.announce = false, true
	case paho.ConnectionNotificationFailed:
		err = n.Reason
	case paho.ConnectionNotificationLost:
		err = n.Reason
	}
	warn := err != nil && !p.warned && !p.closed
	p.warned = p.warned || warn
	p.mu.Unlock()
	if warn {
		p.warn(fmt.Errorf("mqtt: %s: %w: start a broker there (`mosquitto`) or correct the address; the run goes on, trying again every %v",
			p.cfg.Broker, rootCause(err), p.cfg.Retry))
	}
	p.rouse()
}

// rootCause strips paho's and net's repetitions of the address.
func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
