package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"twinrig/policy"
	"twinrig/policy/npwire"
	"twinrig/policy/openpi"
	"twinrig/policy/rest"
)

// The schemes of a policy server's URL.
var schemes = []string{"openpi+ws", "openpi+wss", "rest+http", "rest+https"}

// IsURL tells whether a policy's name is a server's URL.
func IsURL(s string) bool {
	scheme, _, found := strings.Cut(s, "://")
	return found && slices.Contains(schemes, scheme)
}

// CheckURL names what is wrong with a server's URL.
func CheckURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return err
	case !IsURL(s) || u.Hostname() == "":
		return fmt.Errorf("%q is none of %s://host:port", s, strings.Join(schemes, ", "))
	case !portInRange(u.Port()):
		return fmt.Errorf("the port of %q must be 1 to 65535", u.Redacted())
	case u.User != nil:
		return fmt.Errorf("the URL of %q has a user or password: name an environment variable in remote.api_key_env instead", u.Redacted())
	}
	return nil
}

// portInRange tells whether a port is none, which is the scheme's own, or possible.
func portInRange(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// ErrContract marks what the rig file and a server that is there do not agree on.
var ErrContract = errors.New("contract")

// Open connects to a server and agrees on a contract with it: c as far as it goes,
// then the server's metadata, then the protocol's common keys. kin is the policy's
// to use.
func Open(ctx context.Context, address string, c Contract, kin policy.Kinematics) (*Policy, error) {
	if err := CheckURL(address); err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	key := ""
	if c.APIKeyEnv != "" {
		if key = os.Getenv(c.APIKeyEnv); key == "" {
			return nil, fmt.Errorf("remote: remote.api_key_env names %s, which is not set", c.APIKeyEnv)
		}
	}
	p := &Policy{rig: c, common: openpiDefaults, kin: kin}
	protocol, plain, _ := strings.Cut(address, "+")
	if protocol == "openpi" {
		p.dial = dialOpenpi(plain, key, &p.contract)
	} else {
		p.common = restDefaults
		p.dial = dialREST(plain, key)
	}
	wire, metadata, err := p.dial(ctx)
	if err != nil {
		return nil, trust(err)
	}
	p.wire = wire
	if p.contract, err = c.agree(metadata, &p.common); err != nil {
		err = fmt.Errorf("%w: %w", ErrContract, err)
	} else {
		p.units, err = newUnits(&p.contract)
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("remote: %s: %w", address, err)
	}
	return p, nil
}

// trust says what to do about a certificate that nobody here knows.
func trust(err error) error {
	if bad := (*tls.CertificateVerificationError)(nil); errors.As(err, &bad) {
		return fmt.Errorf("%w: a certificate of your own goes into the system's (update-ca-certificates), or its file's name into SSL_CERT_FILE", err)
	}
	return err
}

// tlsConfig trusts what the system trusts.
var tlsConfig = &tls.Config{MinVersion: tls.VersionTLS12}

type openpiWire struct {
	*openpi.Client
	contract *Contract
}

func dialOpenpi(address, key string, c *Contract) func(context.Context) (Wire, map[string]any, error) {
	return func(ctx context.Context) (Wire, map[string]any, error) {
		client, err := openpi.Dial(ctx, address, openpi.Options{APIKey: key, TLS: tlsConfig})
		if err != nil {
			return nil, nil, err
		}
		return openpiWire{client, c}, client.Metadata(), nil
	}
}

// Infer implements Wire.
func (w openpiWire) Infer(ctx context.Context, observation npwire.Object) (any, error) {
	m, err := w.Client.Infer(ctx, observation)
	if err != nil {
		return nil, err
	}
	v, ok := m[w.contract.ActionsKey]
	if !ok {
		return nil, fmt.Errorf("openpi: %w: the answer has no %q", openpi.ErrProtocol, w.contract.ActionsKey)
	}
	return v, nil
}

// Reset implements Wire. openpi's protocol has no word for it: servers that keep
// something keep it for a connection.
func (openpiWire) Reset(context.Context) error { return errNewConnection }

type restWire struct{ *rest.Client }

func dialREST(address, key string) func(context.Context) (Wire, map[string]any, error) {
	return func(ctx context.Context) (Wire, map[string]any, error) {
		client, err := rest.New(address, rest.Options{APIKey: key, TLS: tlsConfig})
		if err != nil {
			return nil, nil, err
		}
		metadata, err := client.Health(ctx)
		if err != nil {
			client.Close()
			return nil, nil, err
		}
		return restWire{client}, metadata, nil
	}
}

// Infer implements Wire. The answer may also be a map with "actions" or "action".
func (w restWire) Infer(ctx context.Context, observation npwire.Object) (any, error) {
	v, err := w.Act(ctx, observation)
	if err != nil {
		return nil, err
	}
	if m, ok := v.(map[string]any); ok {
		for _, k := range []string{"actions", "action"} {
			if a, ok := m[k]; ok {
				return a, nil
			}
		}
		return nil, fmt.Errorf("rest: %w: the answer is a map without actions", rest.ErrProtocol)
	}
	return v, nil
}
