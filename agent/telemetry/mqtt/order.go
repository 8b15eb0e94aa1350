package mqtt

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Verbs are what a client may ask of a rig.
var Verbs = []string{"start", "stop", "halt", "label"}

// Client is somebody who may command the rig.
type Client struct {
	// Name is what the client calls itself.
	Name string `yaml:"client"`
	// KeyFile holds the secret that it proves it by: 16 characters or more, in
	// a file that nobody else may read. A broker does not tell who has sent
	// a message, so its own access list cannot stand in for it.
	KeyFile string `yaml:"key_file"`
	// May are the verbs that it may use.
	May []string `yaml:"may,flow"`
}

// Order is a command on twinrig/RIG/cmd/VERB.
type Order struct {
	Client string `json:"client"`
	// Nonce is new for each order: 16 to 64 letters, digits, - or _.
	Nonce string `json:"nonce"`
	// At is when it was given (RFC 3339): one that is old is not obeyed.
	At string `json:"at"`
	// Args is a JSON object as a string, for verbs that want one.
	Args string `json:"args,omitempty"`
	// MAC is HMAC-SHA256, in hexadecimal digits, with the client's key, over
	// topic, client, nonce, at and args with a line feed between each.
	MAC string `json:"hmac_sha256"`
}

// Limits of an order.
const (
	maxOrder  = 8 << 10 // bytes
	orderLife = 30 * time.Second
	leastKey  = 16 // characters
)

var nonceForm = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)

// Sign puts the MAC into an order to be sent on topic.
func (o *Order) Sign(key []byte, topic string) { o.MAC = hex.EncodeToString(o.mac(key, topic)) }

func (o *Order) mac(key []byte, topic string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(strings.Join([]string{topic, o.Client, o.Nonce, o.At, o.Args}, "\n")))
	return h.Sum(nil)
}

// parseOrder reads an order strictly. What is none has no nonce to answer to.
func parseOrder(payload []byte) (o Order, err error) {
	if len(payload) > maxOrder {
		return o, fmt.Errorf("is %d bytes long, at most %d are read", len(payload), maxOrder)
	}
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil {
		return Order{}, fmt.Errorf("is not an order: %w", err)
	}
	if dec.More() {
		return Order{}, errors.New("is not an order: more than one object")
	}
	if !nonceForm.MatchString(o.Nonce) {
		return Order{}, errors.New("nonce: 16 to 64 letters, digits, - or _ are wanted")
	}
	return o, nil
}

// acl is who may command, with their keys.
type acl map[string]right

type right struct {
	key []byte
	may []string
}

// loadACL reads the clients' keys.
func loadACL(clients []Client) (acl, error) {
	rights := acl{}
	for _, c := range clients {
		info, err := os.Stat(c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("commands: %s: key_file: %w", c.Name, err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			return nil, fmt.Errorf("commands: %s: key_file: others may read %s: chmod 600 it", c.Name, c.KeyFile)
		}
		key, err := os.ReadFile(c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("commands: %s: key_file: %w", c.Name, err)
		}
		if key = bytes.TrimSpace(key); len(key) < leastKey {
			return nil, fmt.Errorf("commands: %s: key_file: %s holds %d characters, at least %d are wanted: `openssl rand -hex 32`",
				c.Name, c.KeyFile, len(key), leastKey)
		}
		rights[c.Name] = right{key, c.May}
	}
	return rights, nil
}

// errStranger is all that somebody learns who cannot prove who they are.
var errStranger = errors.New("client or hmac_sha256 is not known")

// check tells why an order is not to be obeyed.
func (a acl) check(o *Order, topic, verb string, now time.Time) error {
	r, known := a[o.Client]
	mac, err := hex.DecodeString(o.MAC)
	if !known || err != nil || !hmac.Equal(mac, o.mac(r.key, topic)) {
		return errStranger
	}
	at, err := time.Parse(time.RFC3339, o.At)
	if err != nil {
		return fmt.Errorf("at: %q is not a time as RFC 3339 writes it", o.At)
	}
	if off := now.Sub(at); off.Abs() > orderLife {
		return fmt.Errorf("at: is %.0f s from this rig's clock, at most %.0f are allowed: set both clocks", off.Seconds(), orderLife.Seconds())
	}
	if !slices.Contains(r.may, verb) {
		return fmt.Errorf("%s may not %s: it may %s", o.Client, verb, strings.Join(r.may, ", "))
	}
	return nil
}

func validateClients(clients []Client) error {
	seen := map[string]bool{}
	for _, c := range clients {
		switch {
		case c.Name == "" || strings.ContainsAny(c.Name, "/+#\x00\n"):
			return fmt.Errorf("commands: client %q: a name without / + # is needed", c.Name)
		case seen[c.Name]:
			return fmt.Errorf("commands: client %q is there twice", c.Name)
		case c.KeyFile == "":
			return fmt.Errorf("commands: %s: has no key_file: `openssl rand -hex 32` makes one", c.Name)
		case len(c.May) == 0:
			return fmt.Errorf("commands: %s: may do nothing: list any of %s in may", c.Name, strings.Join(Verbs, ", "))
		}
		for _, v := range c.May {
			if !slices.Contains(Verbs, v) {
				return fmt.Errorf("commands: %s: may: %q is none of %s", c.Name, v, strings.Join(Verbs, ", "))
			}
		}
		seen[c.Name] = true
	}
	return nil
}
