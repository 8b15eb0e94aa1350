package mqtt

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// Login puts into o who this rig is to the broker, and whom it trusts. The files
// are read now; an error names the key. No error holds a secret.
func (c *Config) Login(o *paho.ClientOptions) error {
	if c.Username != "" {
		o.SetUsername(c.Username)
	}
	if c.PasswordFile != "" {
		data, err := os.ReadFile(c.PasswordFile)
		if err != nil {
			return fmt.Errorf("password_file: %w", err)
		}
		o.SetPassword(strings.TrimRight(string(data), "\r\n"))
	}
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile != "" {
		data, err := os.ReadFile(c.CAFile)
		if err != nil {
			return fmt.Errorf("ca_file: %w", err)
		}
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM(data) {
			return fmt.Errorf("ca_file: %s: holds no certificate", c.CAFile)
		}
	}
	if c.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return fmt.Errorf("cert_file, key_file: %w", err)
		}
		trust.Certificates = []tls.Certificate{pair}
	}
	o.SetTLSConfig(trust)
	return nil
}
