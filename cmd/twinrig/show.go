package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"

	"twinrig"
	"twinrig/agent/telemetry/foxglove"
)

// showRate is how many pictures a second Foxglove is shown.
const showRate = 10

// showFoxglove serves the rig to Foxglove at an address of this machine. cam may be nil.
func showFoxglove(address, name string, cam twinrig.Camera, closing *closers, say func(string)) (*foxglove.Server, error) {
	if err := checkLoopback(address); err != nil {
		return nil, fmt.Errorf("foxglove: %w", err)
	}
	eye := ""
	if cam != nil {
		eye = cameraName
	}
	s, err := foxglove.New(foxglove.DefaultConfig(name, eye))
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("foxglove: %w: choose another port, 0 is any free one", err)
	}
	server := http.Server{Handler: s, ReadHeaderTimeout: askTimeout, MaxHeaderBytes: maxHeader}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	closing.add(func() error {
		s.Close()
		err := server.Close()
		if e := <-served; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
		return err
	})
	if cam != nil {
		closing.add(film(cam, s.PutFrame, showRate, func(err error) { say("foxglove: " + err.Error()) }))
	}
	say("in Foxglove: open a connection to ws://" + l.Addr().String())
	return s, nil
}

// shown is telemetry that Foxglove is shown, too.
type shown struct {
	telemetry
	live *foxglove.Server
}

// PutEvent implements telemetry.
func (s shown) PutEvent(e *twinrig.Event) {
	s.telemetry.PutEvent(e)
	s.live.PutEvent(e)
}

// PutGap implements telemetry.
func (s shown) PutGap(g *twinrig.Gap) {
	s.telemetry.PutGap(g)
	s.live.PutGap(g)
}
