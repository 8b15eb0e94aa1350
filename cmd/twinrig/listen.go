package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/net/netutil"
)

// Limits of what a program that asks may do to this one.
const (
	maxConnections = 64
	maxHeader      = 16 << 10 // bytes
	askTimeout     = 5 * time.Second
)

// server answers programs on this machine over HTTP.
type server struct {
	url string
	// tokenFile holds the token that is wanted by what moves the arm or lets go
	// of it. A new one is made at each start; only this user may read it.
	tokenFile string
	token     string
	http      http.Server
	served    chan error
}

// checkLoopback refuses to be reached from elsewhere: nothing here is encrypted.
func checkLoopback(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen %s: %w: write 127.0.0.1:PORT", address, err)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("--listen %s: only this machine's own addresses can be listened on: write 127.0.0.1:%s, and reach it from elsewhere by `ssh -L %[2]s:127.0.0.1:%[2]s HOST`",
		address, port)
}

// listen answers at address what build's mux can; port 0 takes a free one. The
// token's file is name in dir.
func listen(address, dir, name string, build func(*server) (*http.ServeMux, error)) (*server, error) {
	if err := checkLoopback(address); err != nil {
		return nil, err
	}
	s := &server{tokenFile: filepath.Join(dir, name), token: rand.Text(), served: make(chan error, 1)}
	mux, err := build(s)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w: choose another port, 0 is any free one", address, err)
	}
	if err := errors.Join(os.MkdirAll(dir, 0o700), writeSecret(s.tokenFile, s.token)); err != nil {
		return nil, errors.Join(fmt.Errorf("--listen: token: %w", err), l.Close())
	}
	s.url = "http://" + l.Addr().String()
	s.http = http.Server{
		Handler: guardBrowser(mux), MaxHeaderBytes: maxHeader,
		ReadTimeout: askTimeout, WriteTimeout: 2 * askTimeout, IdleTimeout: 12 * askTimeout,
		ErrorLog: log.New(io.Discard, "", 0), // what strangers send is not our log
	}
	go func() { s.served <- s.http.Serve(netutil.LimitListener(l, maxConnections)) }()
	return s, nil
}

// writeSecret replaces a file that only this user may read.
func writeSecret(path, text string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	return errors.Join(err, f.Close())
}

// close lets answers under way be finished, and makes the token worthless.
func (s *server) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	err := errors.Join(s.http.Shutdown(ctx), os.Remove(s.tokenFile))
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// withToken lets those through who show the token.
func (s *server) withToken(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		shown, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(shown), []byte(s.token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "show the token of "+s.tokenFile+": Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		h(w, r)
	}
}

// guardBrowser keeps pages from elsewhere, in a browser on this machine, from
// asking: a name of theirs that leads here is not one of ours.
func guardBrowser(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		ip := net.ParseIP(strings.Trim(host, "[]"))
		if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "ask 127.0.0.1 or localhost", http.StatusMisdirectedRequest)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		w.Header().Set("Cache-Control", "no-store")
		h.ServeHTTP(w, r)
	})
}
