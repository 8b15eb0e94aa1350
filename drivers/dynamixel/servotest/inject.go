package servotest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"twinrig/drivers/dynamixel"
)

// Blocker is Shafts that can be blocked one by one.
type Blocker interface {
	Block(i int, blocked bool)
}

// scheduled is a fault on its way through its life.
type scheduled struct {
	Fault
	begun, over bool
	undo        []func() // what ends it
}

// next is when something happens to it; false if nothing any more.
func (f *scheduled) next() (time.Duration, bool) {
	switch {
	case f.over:
		return 0, false
	case !f.begun:
		return f.At, true
	}
	return f.At + f.For, f.For > 0
}

// Inject has faults happen. It names the first that is not valid, and then
// injects none.
func (c *Chain) Inject(faults ...Fault) error {
	for i := range faults {
		if err := faults[i].Validate(); err != nil {
			return fmt.Errorf("servotest: fault %d: %w", i, err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range faults {
		f.At = max(f.At, c.now)
		c.faults = append(c.faults, scheduled{Fault: f})
	}
	return nil
}

// OnFault has f told of each fault when it begins and when it ends, on the
// goroutine that advances the chain; f must not call the chain.
func (c *Chain) OnFault(f func(now time.Duration, fault Fault, over bool)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onFault = f
}

// Plugged tells whether the adapter is there.
func (c *Chain) Plugged() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.line.unplugged
}

// nextFault returns the fault with the earliest change by t.
func (c *Chain) nextFault(t time.Duration) (*scheduled, time.Duration) {
	var first *scheduled
	for i := range c.faults {
		if at, ok := c.faults[i].next(); ok && at <= t {
			first, t = &c.faults[i], at
		}
	}
	return first, t
}

// change begins or ends a fault at c.now.
func (c *Chain) change(f *scheduled) {
	if f.begun {
		for _, undo := range f.undo {
			undo()
		}
		f.over, f.undo = true, nil
	} else {
		f.begun = true
		c.befall(f)
	}
	c.line = c.lineNow()
	if c.onFault != nil {
		c.onFault(c.now, f.Fault, f.over)
	}
}

// befall lets a fault begin with the servos; those of the line are lineNow's.
func (c *Chain) befall(f *scheduled) {
	for i, s := range c.servos {
		if !f.hits(s) {
			continue
		}
		switch f.Kind {
		case Silent:
			s.silent = true
			f.undo = append(f.undo, func() { s.silent = false })
		case Overload:
			s.RaiseError(dynamixel.HardwareOverload)
		case Hot:
			old := s.params.Temperature
			s.params.Temperature = f.TemperatureC
			f.undo = append(f.undo, func() { s.params.Temperature = old })
		case Sagging:
			old := s.params.Voltage
			s.params.Voltage = f.VoltageV
			f.undo = append(f.undo, func() { s.params.Voltage = old })
		case Stuck:
			if b, ok := c.shafts.(Blocker); ok {
				b.Block(i, true)
				f.undo = append(f.undo, func() { b.Block(i, false) })
			}
		case Slipped:
			s.slip += s.sign() * f.AngleRad
			f.undo = append(f.undo, func() { s.slip -= s.sign() * f.AngleRad })
		case Unpowered:
			s.SetPower(c.now, false)
			f.undo = append(f.undo, func() { s.SetPower(c.now, true) })
		case Rebooted:
			s.reboot(c.now)
		case Model:
			f.undo = append(f.undo, s.replace(dynamixel.ModelNumber, int32(f.ModelNumber)))
		case Renamed:
			f.undo = append(f.undo, s.replace(dynamixel.ServoID, int32(f.NewID)))
		}
	}
}

// replace sets a register and returns what undoes it.
func (s *Servo) replace(r dynamixel.Register, v int32) func() {
	old := s.value(r)
	s.put(r, v)
	return func() { s.put(r, old) }
}

func (f *scheduled) hits(s *Servo) bool {
	if len(f.IDs) == 0 {
		return true
	}
	return slices.Contains(f.IDs, int(s.first))
}

// line is what is wrong with the wire just now.
type line struct {
	Noise
	truncated, junk float64
	late            time.Duration
	echo, unplugged bool
}

// lineNow adds up the faults of the line.
func (c *Chain) lineNow() line {
	l := line{Noise: c.noise}
	for i := range c.faults {
		f := &c.faults[i]
		if !f.begun || f.over {
			continue
		}
		switch f.Kind {
		case Lost:
			l.Drop = math.Min(1, l.Drop+f.Rate)
		case Corrupted:
			l.Flip, l.Instruction = math.Min(1, l.Flip+f.Rate), math.Min(1, l.Instruction+f.Rate)
		case Truncated:
			l.truncated = math.Min(1, l.truncated+f.Rate)
		case Junk:
			l.junk = math.Min(1, l.junk+f.Rate)
		case Late:
			l.late += f.Delay
		case Echo:
			l.echo = true
		case Unplugged:
			l.unplugged = true
		}
	}
	return l
}
