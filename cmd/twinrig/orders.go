package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"twinrig"
	"twinrig/agent/telemetry/mqtt"
)

// rearmLimit is how long an arm may take to come back from a halt.
const rearmLimit = 30 * time.Second

// orders carries out what clients ask of an agent. It is mqtt.Commander.
type orders struct {
	cell *cell
	tell *mqtt.Publisher
	say  func(string)
	// end ends the agent in order; asked is closed then.
	end   func()
	asked chan struct{}
	// again is told that a halted arm has torque again.
	again chan struct{}
}

func newOrders(c *cell, tell *mqtt.Publisher, say func(string), end func()) *orders {
	return &orders{cell: c, tell: tell, say: say, end: end, asked: make(chan struct{}, 1), again: make(chan struct{}, 1)}
}

// Start implements mqtt.Commander: it ends a halt.
func (o *orders) Start(string) (string, error) {
	if !halted(o.cell.runner.Fault()) {
		return "", errors.New("the arm is held already; trials are begun by `twinrig eval run`")
	}
	ctx, cancel := context.WithTimeout(context.Background(), rearmLimit)
	defer cancel()
	if err := o.cell.runner.Rearm(ctx); err != nil {
		return "", err
	}
	select {
	case o.again <- struct{}{}:
	default: // nobody has looked since the last time
	}
	return "torque is on, the arm holds", nil
}

// Stop implements mqtt.Commander.
func (o *orders) Stop(string) (string, error) {
	select {
	case o.asked <- struct{}{}:
		o.end()
	default: // it was asked before
	}
	return "the arm is parked, torque goes off, and the agent ends", nil
}

// Halt implements mqtt.Commander.
func (o *orders) Halt(string) (string, error) {
	if err := o.cell.runner.HaltNow(); err != nil {
		return "", err
	}
	return "torque is off", nil
}

// Label implements mqtt.Commander.
func (o *orders) Label(string, mqtt.Verdict) (string, error) {
	return "", errors.New("no study runs here: `twinrig eval label` judges the trials of one that ran")
}

// Done implements mqtt.Commander: every order is on record.
func (o *orders) Done(client, verb, said string, err error) {
	audit(o.tell, o.cell.clock(), o.say, client, verb, said, err)
}

// audit tells of an order: who gave it, and what became of it.
func audit(tell *mqtt.Publisher, now time.Duration, say func(string), who, verb, said string, err error) {
	line := fmt.Sprintf("%s by %s: %s", verb, who, said)
	if err != nil {
		line = fmt.Sprintf("%s by %s: not done: %v", verb, who, err)
	}
	say("order: " + line)
	tell.PutEvent(&twinrig.Event{Stamp: now, Kind: "order", Detail: line})
}

// stopped tells whether a client ended the agent.
func (o *orders) stopped() bool { return len(o.asked) > 0 }
