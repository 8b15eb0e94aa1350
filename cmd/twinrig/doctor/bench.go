package doctor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"twinrig/agent"
	"twinrig/calib"
	"twinrig/configs"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/serial"
	"twinrig/drivers/widowx"
)

// Options is what to look at.
type Options struct {
	Rig configs.Rig
	// Studies is where studies are written; it need not exist yet.
	Studies string
	// Before, if not nil, is told the name of each check before it is made.
	Before func(name string)
}

// Run makes all checks. Its error says that ctx ended before they were through;
// what is wrong with the rig is in the Report.
func Run(ctx context.Context, o Options) (Report, error) {
	return examine(ctx, o, thisHost())
}

func examine(ctx context.Context, o Options, h host) (Report, error) {
	if o.Before == nil {
		o.Before = func(string) {}
	}
	clock, err := agent.OpenClock()
	if err != nil {
		return Report{}, err
	}
	b := &bench{rig: o.Rig, studies: o.Studies, host: h, clock: clock}
	r, err := runAll(ctx, b, checks(), o.Before)
	return r, errors.Join(err, b.close())
}

// checks lists all checks in the order in which a person would fix them: from
// the wall socket to the study.
func checks() []check {
	return join(portChecks(), servoChecks(), armChecks(), cameraChecks(), machineChecks(), networkChecks())
}

func join(parts ...[]check) []check {
	var all []check
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// bench is what the checks work on. What one check finds is written by it alone,
// and read by those that need it.
type bench struct {
	rig     configs.Rig
	studies string
	host    host
	clock   *agent.Clock

	cal    *calib.Record
	info   serial.Info
	port   port
	bus    *dynamixel.Bus
	survey widowx.Survey
	stream stream

	mu     sync.Mutex
	shut   bool
	closes []func() error
}

// onClose has f called when the bench is closed, at once if it is already.
func (b *bench) onClose(f func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shut {
		return f()
	}
	b.closes = append(b.closes, f)
	return nil
}

// close releases everything, the last first.
func (b *bench) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shut = true
	var err error
	for i := len(b.closes) - 1; i >= 0; i-- {
		err = errors.Join(err, b.closes[i]())
	}
	b.closes = nil
	if err != nil {
		return fmt.Errorf("doctor: %w", err)
	}
	return nil
}

// openBus opens the port at a rate other than the rig's.
func (b *bench) openBus(baud int) (*dynamixel.Bus, port, error) {
	cfg, bus := b.rig.Serial, b.rig.Bus
	cfg.Baud, bus.Baud = baud, baud
	p, err := b.host.openPort(cfg)
	if err != nil {
		return nil, nil, err
	}
	return dynamixel.NewBus(p, bus), p, nil
}

// ms prints a time in ms.
func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", 1000*d.Seconds()) }
