package mqtt_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/telemetry/mqtt"
)

// mosquitto is Debian's broker on a free port of this machine.
type mosquitto struct {
	port  int
	conf  string
	cmd   *exec.Cmd
	ended chan error // how it ended
}

// newMosquitto writes its configuration: lines come after the listener.
func newMosquitto(t *testing.T, lines ...string) *mosquitto {
	t.Helper()
	dir := t.TempDir()
	m := &mosquitto{port: freePort(t), conf: filepath.Join(dir, "mosquitto.conf")}
	text := []string{
		fmt.Sprintf("listener %d 127.0.0.1", m.port),
		"persistence true", "persistence_location " + dir + "/", "log_type none",
		"max_queued_messages 0",
	}
	if os.Getuid() == 0 {
		text = append(text, "user root") // the files are ours
	}
	require.NoError(t, os.WriteFile(m.conf, []byte(strings.Join(append(text, lines...), "\n")+"\n"), 0o600))
	return m
}

// start starts it and waits until it listens.
func (m *mosquitto) start(t *testing.T) {
	t.Helper()
	path, err := exec.LookPath("mosquitto")
	if err != nil {
		path = "/usr/sbin/mosquitto" // which Debian's users have not in their path
	}
	m.cmd, m.ended = exec.Command(path, "-c", m.conf), make(chan error, 1)
	require.NoError(t, m.cmd.Start(), "mosquitto is part of the set-up")
	go func(c *exec.Cmd, ended chan<- error) { ended <- c.Wait() }(m.cmd, m.ended)
	t.Cleanup(func() { _ = m.cmd.Process.Kill() }) // it may have ended
	require.Eventually(t, func() bool {
		require.Empty(t, m.ended, "it ended at once: somebody took its port")
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", m.port))
		if err != nil {
			return false
		}
		c.Close()
		return true
	}, time.Minute, 5*time.Millisecond)
}

// stop ends it in order: it saves what it has.
func (m *mosquitto) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, m.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, <-m.ended)
}

func (m *mosquitto) url() string { return fmt.Sprintf("tcp://127.0.0.1:%d", m.port) }

// stay subscribes with a session that outlives the broker.
func stay(t *testing.T, broker, filter string) <-chan message {
	t.Helper()
	got := make(chan message, 1<<14)
	o := paho.NewClientOptions().AddBroker(broker).SetClientID("stays").SetProtocolVersion(4).
		SetCleanSession(false).SetAutoReconnect(true).SetMaxReconnectInterval(20 * time.Millisecond).
		SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) {
			got <- message{m.Topic(), string(m.Payload()), m.Retained()}
		})
	client := paho.NewClient(o)
	for _, token := range []func() paho.Token{
		client.Connect,
		func() paho.Token { return client.Subscribe(filter, 1, nil) },
	} {
		wait := token()
		wait.Wait()
		require.NoError(t, wait.Error())
	}
	t.Cleanup(func() { client.Disconnect(0) })
	return got
}

// Debian's broker takes all topics; what is retained is there for who comes late,
// and the last will is the broker's.
func TestMosquitto(t *testing.T) {
	m := newMosquitto(t, "allow_anonymous true")
	m.start(t)
	got := listen(t, m.url(), "twinrig/bench/#")
	link := newLink(t, m.url())
	link.on(t)
	p, _ := open(t, config(link.url))
	until(t, got, online)
	r, g, e := sample()
	r.State.NumServos = 2
	r.State.Servos[0].ID, r.State.Servos[1].ID = 1, 9
	p.Put(&r)
	p.PutGap(&g)
	p.PutEvent(&e)
	require.NoError(t, p.PutFrame(&twinrig.Frame{W: 16, H: 16, RGB: make([]byte, 3*16*16)}))
	want := []string{"state", "servo/1", "servo/9", "mirror/gap", "trial/events", "camera/jpeg"}
	for len(want) > 0 {
		level := strings.TrimPrefix((<-got).topic, "twinrig/bench/")
		for i, w := range want {
			if w == level {
				want = append(want[:i], want[i+1:]...)
				break
			}
		}
	}
	link.off()
	until(t, got, lost)
	late := <-listen(t, m.url(), "twinrig/bench/status")
	require.Equal(t, message{"twinrig/bench/status", lost, true}, late)
}

// Mosquitto ends and comes back while events are put; a subscriber with a session
// of its own has all of them, in order.
func TestMosquittoRestarts(t *testing.T) {
	m := newMosquitto(t, "allow_anonymous true")
	cfg := config(m.url())
	cfg.QueueFile = filepath.Join(t.TempDir(), "queue.db")
	p, _ := open(t, cfg) // it is not there yet
	n := 0
	put := func(k int) {
		for range k {
			p.PutEvent(&twinrig.Event{Stamp: time.Duration(n), Kind: "step"})
			n++
		}
	}
	m.start(t)
	got := stay(t, m.url(), "twinrig/bench/trial/events")
	put(100)
	require.Eventually(t, func() bool { return p.Stats().Messages > 50 }, time.Minute, time.Millisecond)
	m.stop(t)
	put(100)
	m.start(t)
	put(100)
	var c chain
	for c.last.Seq < n {
		e := c.take(t, <-got)
		require.Equal(t, e.Seq-1, e.Stamp)
	}
	require.NoError(t, p.Close())
	require.Zero(t, p.Stats().Waiting)
}

// authority signs certificates.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	made int64
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	a.issue(t, name, true)
	return a
}

// issue makes NAME.pem and NAME.key; the first is the authority's own.
func (a *authority) issue(t *testing.T, name string, ca bool) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	a.made++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.made), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if ca {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
		template.ExtKeyUsage = nil
		a.cert, a.key = template, private
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &private.PublicKey, a.key)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	cert, key = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key")
	for path, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: pkcs8},
	} {
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	return cert, key
}

// outcome is "in", or what the publisher warned of.
func outcome(t *testing.T, cfg mqtt.Config) string {
	t.Helper()
	p, warnings := open(t, cfg)
	p.PutEvent(&twinrig.Event{Kind: "hello"})
	said := make(chan string, 1)
	go func() {
		for p.Stats().Messages == 0 {
			select {
			case err := <-warnings:
				said <- err.Error()
				return
			case <-time.After(time.Millisecond):
			}
		}
		said <- "in"
	}()
	return <-said
}

const secret = "correct horse battery"

// The broker wants TLS and a password: with the right ones the rig is in, with
// any other it says why, and no secret is in that.
func TestMosquittoTLSAndPassword(t *testing.T) {
	ca, stranger := newAuthority(t, "lab"), newAuthority(t, "stranger")
	cert, key := ca.issue(t, "broker", false)
	passwords := filepath.Join(t.TempDir(), "passwords")
	require.NoError(t, os.WriteFile(passwords, []byte("bench:"+secret+"\n"), 0o600))
	out, err := exec.Command("mosquitto_passwd", "-U", passwords).CombinedOutput()
	require.NoError(t, err, "%s", out)
	m := newMosquitto(t, "certfile "+cert, "keyfile "+key, "allow_anonymous false", "password_file "+passwords)
	m.start(t)

	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "password")
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o600))
		return path
	}
	for name, tc := range map[string]struct {
		edit func(*mqtt.Config)
		want string
	}{
		"in":             {func(*mqtt.Config) {}, "in"},
		"wrong password": {func(c *mqtt.Config) { c.PasswordFile = file("wrong") }, "not Authorized: correct username and password_file"},
		"no password":    {func(c *mqtt.Config) { c.Username, c.PasswordFile = "", "" }, "not Authorized: correct username and password_file"},
		"unknown broker": {func(c *mqtt.Config) { c.CAFile = filepath.Join(stranger.dir, "stranger.pem") }, "unknown authority: name the authority that signed the broker's certificate in ca_file"},
		"the system's":   {func(c *mqtt.Config) { c.CAFile = "" }, "certificate signed by unknown authority"},
		"no TLS":         {func(c *mqtt.Config) { c.Broker, c.CAFile = m.url(), "" }, "correct the address"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(fmt.Sprintf("tls://127.0.0.1:%d", m.port))
			cfg.CAFile, cfg.Username, cfg.PasswordFile = filepath.Join(ca.dir, "lab.pem"), "bench", file(secret)
			tc.edit(&cfg)
			said := outcome(t, cfg)
			require.Contains(t, said, tc.want)
			require.NotContains(t, said, secret)
		})
	}
}

// The broker knows rigs by their certificates.
func TestMosquittoClientCertificate(t *testing.T) {
	ca, stranger := newAuthority(t, "lab"), newAuthority(t, "stranger")
	cert, key := ca.issue(t, "broker", false)
	m := newMosquitto(t, "certfile "+cert, "keyfile "+key, "cafile "+filepath.Join(ca.dir, "lab.pem"),
		"require_certificate true", "use_identity_as_username true")
	m.start(t)
	mine, mineKey := ca.issue(t, "bench", false)
	theirs, theirsKey := stranger.issue(t, "bench", false)
	for name, tc := range map[string]struct{ cert, key, want string }{
		"in":       {mine, mineKey, "in"},
		"stranger": {theirs, theirsKey, "name one that it accepts in cert_file"},
		"none":     {"", "", "name one that it accepts in cert_file"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(fmt.Sprintf("tls://127.0.0.1:%d", m.port))
			cfg.CAFile, cfg.CertFile, cfg.KeyFile = filepath.Join(ca.dir, "lab.pem"), tc.cert, tc.key
			require.Contains(t, outcome(t, cfg), tc.want)
		})
	}
	cfg := config(fmt.Sprintf("tls://127.0.0.1:%d", m.port))
	cfg.CertFile, cfg.KeyFile = mine, theirsKey
	_, err := mqtt.Open(cfg, "bench", nil)
	require.ErrorContains(t, err, "mqtt: cert_file, key_file: tls: private key does not match public key")
}
