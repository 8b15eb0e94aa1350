package servotest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"twinrig/drivers/dynamixel"
)

// Kind is what goes wrong.
type Kind string

// The kinds. Those of the line befall it as a whole, the others the servos of
// Fault.IDs, or all.
const (
	Lost      Kind = "lost"      // line: each byte of an answer is lost with Rate
	Corrupted Kind = "corrupted" // line: each byte, either way, changes with Rate
	Truncated Kind = "truncated" // line: each answer loses its second half with Rate
	Late      Kind = "late"      // line: answers reach the host Delay later
	Echo      Kind = "echo"      // line: the adapter returns the host's own bytes
	Junk      Kind = "junk"      // line: random bytes come before an answer with Rate
	Unplugged Kind = "unplugged" // line: the adapter is gone
	Silent    Kind = "silent"    // hears, obeys and never answers
	Overload  Kind = "overload"  // shuts down; a reboot cures it
	Hot       Kind = "hot"       // case at TemperatureC
	Sagging   Kind = "sagging"   // supply at VoltageV
	Stuck     Kind = "stuck"     // the shaft is blocked
	Slipped   Kind = "slipped"   // the horn sits AngleRad further on its shaft
	Unpowered Kind = "unpowered" // no supply: torque off, RAM lost
	Rebooted  Kind = "rebooted"  // restarts by itself, as after a dip of its supply
	Model     Kind = "model"     // another ModelNumber
	Renamed   Kind = "renamed"   // answers to NewID; two with one ID answer at once
)

// lineKinds befall the line, servoKinds servos.
var (
	lineKinds  = []Kind{Lost, Corrupted, Truncated, Late, Echo, Junk, Unplugged}
	servoKinds = []Kind{Silent, Overload, Hot, Sagging, Stuck, Slipped, Unpowered, Rebooted, Model, Renamed}
)

// Fault is something that goes wrong at a time, and for a while.
type Fault struct {
	Kind Kind `yaml:"kind"`
	// At is when, on the chain's clock; one that is past begins at once. For is
	// how long; 0 is for good.
	At  time.Duration `yaml:"at"`
	For time.Duration `yaml:"for"`
	// IDs are the servos it befalls, by the ID they had at first; none is all.
	IDs []int `yaml:"ids,flow"`

	Rate         float64       `yaml:"rate"`
	Delay        time.Duration `yaml:"delay"`
	TemperatureC float64       `yaml:"temperature_c"`
	VoltageV     float64       `yaml:"voltage_v"`
	AngleRad     float64       `yaml:"angle_rad"`
	ModelNumber  int           `yaml:"model_number"`
	NewID        int           `yaml:"new_id"`
}

// String says it in a line.
func (f *Fault) String() string {
	s := fmt.Sprintf("%v %s", f.At, f.Kind)
	if len(f.IDs) > 0 {
		s += fmt.Sprintf(" ids %v", f.IDs)
	}
	if f.For > 0 {
		s += fmt.Sprintf(" for %v", f.For)
	}
	return s
}

// Validate names the key that is wrong and its limit.
func (f *Fault) Validate() error {
	line := slices.Contains(lineKinds, f.Kind)
	switch {
	case !line && !slices.Contains(servoKinds, f.Kind):
		return fmt.Errorf("kind: %q is none of %s", f.Kind, kindList())
	case f.At < 0 || f.For < 0:
		return fmt.Errorf("at, for: %v and %v must not be negative", f.At, f.For)
	case line && len(f.IDs) > 0:
		return fmt.Errorf("ids: %s befalls the line, not servos", f.Kind)
	}
	for _, id := range f.IDs {
		if id < 0 || id > int(dynamixel.MaxID) {
			return fmt.Errorf("ids: %d is outside 0 to %d", id, dynamixel.MaxID)
		}
	}
	return f.validateValue()
}

func (f *Fault) validateValue() error {
	within := func(key string, v, lo, hi float64) error {
		if !(v >= lo && v <= hi) {
			return fmt.Errorf("%s: %v is outside %v to %v", key, v, lo, hi)
		}
		return nil
	}
	switch f.Kind {
	case Lost, Corrupted, Truncated, Junk:
		return within("rate", f.Rate, 1e-9, 1)
	case Late:
		return within("delay in s", f.Delay.Seconds(), 1e-6, 10)
	case Hot:
		return within("temperature_c", f.TemperatureC, -20, 150)
	case Sagging:
		return within("voltage_v", f.VoltageV, 0, 30)
	case Slipped:
		return within("angle_rad", f.AngleRad, -3.2, 3.2)
	case Model:
		return within("model_number", float64(f.ModelNumber), 1, 65535)
	case Renamed:
		if len(f.IDs) != 1 {
			return errors.New("ids: renamed needs exactly one")
		}
		return within("new_id", float64(f.NewID), 0, float64(dynamixel.MaxID))
	}
	return nil
}

func kindList() string {
	var names []string
	for _, k := range slices.Concat(lineKinds, servoKinds) {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}
