package widowx

import (
	"fmt"
	"time"

	"twinrig"
)

// Config is how the arm is to be driven. What was measured on it is calib's.
type Config struct {
	// Mode is "position" or "torque": who closes the position loop.
	Mode string `yaml:"mode"`
	// FastSync reads all servos in one packet where their firmware can
	// (45 or newer). The driver falls back to Sync Read by itself, and says so.
	FastSync bool `yaml:"fast_sync"`
	// WriteEEPROM lets Open change permanent settings that differ from what
	// the driver needs. Without it Open refuses and lists them. The operating
	// mode is set in any case.
	WriteEEPROM bool `yaml:"write_eeprom"`
	// CurrentLimitA bounds each XM430's goal current. 2.3 A is its stall
	// current at 12 V.
	CurrentLimitA float64 `yaml:"current_limit_a"`
	// GripPWMPercent bounds the gripper's output, and with it the force on
	// what it holds: 28 % of stall torque is about 15 N on each finger.
	GripPWMPercent float64 `yaml:"grip_pwm_percent"`
	// GripHoldPercent bounds it once the fingers have stood on something for
	// GripHoldAfter: enough to hold, and the motor stays cool.
	GripHoldPercent float64       `yaml:"grip_hold_percent"`
	GripHoldAfter   time.Duration `yaml:"grip_hold_after"`
	// GripTimeout is how long the gripper may make no progress towards a goal
	// without pushing before that is a fault.
	GripTimeout time.Duration `yaml:"grip_timeout"`
	// PositionPXM430 and PositionPXL430 are the Position P Gain registers.
	// The calibration's stiffness belongs to the same values.
	PositionPXM430 int `yaml:"position_p_xm430"`
	PositionPXL430 int `yaml:"position_p_xl430"`
	// Watchdog stops each servo when the bus has been silent for so long, a
	// multiple of 20ms; 0 is off.
	Watchdog time.Duration `yaml:"watchdog"`
	// ShadowToleranceDeg is how far the two servos of a joint may disagree.
	ShadowToleranceDeg float64 `yaml:"shadow_tolerance_deg"`
	// HealthEveryCycles is how many readings pass between two looks at one
	// servo's errors, torque, voltage or temperature. A servo that raises its
	// alert is looked at in the same cycle.
	HealthEveryCycles int `yaml:"health_every_cycles"`
	// RefreshEveryCycles is how often, in ModeTorque, the XL430s get a goal
	// that did not change again.
	RefreshEveryCycles int `yaml:"refresh_every_cycles"`
}

// Default is for a first start: position mode, nothing permanent written.
func Default() Config {
	return Config{
		Mode:               "position",
		FastSync:           true,
		CurrentLimitA:      2.3,
		GripPWMPercent:     28,
		GripHoldPercent:    20,
		GripHoldAfter:      3 * time.Second,
		GripTimeout:        1500 * time.Millisecond,
		PositionPXM430:     800,
		PositionPXL430:     640,
		Watchdog:           200 * time.Millisecond,
		ShadowToleranceDeg: 3,
		HealthEveryCycles:  10,
		RefreshEveryCycles: 50,
	}
}

// watchdogUnit is one step of the Bus Watchdog register, watchdogMost its last.
const (
	watchdogUnit = 20 * time.Millisecond
	watchdogMost = 127 * watchdogUnit
)

// Validate names the key that is wrong and its limit.
func (c *Config) Validate() error {
	if c.Mode != twinrig.ModePosition.String() && c.Mode != twinrig.ModeTorque.String() {
		return fmt.Errorf("mode: %q is neither %s nor %s", c.Mode, twinrig.ModePosition, twinrig.ModeTorque)
	}
	if w := c.Watchdog; w < 0 || w > watchdogMost || w%watchdogUnit != 0 {
		return fmt.Errorf("watchdog: %v is not a multiple of %v up to %v", w, watchdogUnit, watchdogMost)
	}
	for _, v := range []struct {
		key       string
		v, lo, hi float64
	}{
		{"current_limit_a", c.CurrentLimitA, 0.1, 3.2},
		{"grip_pwm_percent", c.GripPWMPercent, 5, 100},
		{"grip_hold_percent", c.GripHoldPercent, 5, c.GripPWMPercent},
		{"grip_hold_after in s", c.GripHoldAfter.Seconds(), 0.2, 3600},
		{"grip_timeout in s", c.GripTimeout.Seconds(), 0.2, 60},
		{"position_p_xm430", float64(c.PositionPXM430), 1, 16383},
		{"position_p_xl430", float64(c.PositionPXL430), 1, 16383},
		{"shadow_tolerance_deg", c.ShadowToleranceDeg, 0.2, 20},
		{"health_every_cycles", float64(c.HealthEveryCycles), 1, 10000},
		{"refresh_every_cycles", float64(c.RefreshEveryCycles), 1, 10000},
	} {
		if !(v.v >= v.lo && v.v <= v.hi) {
			return fmt.Errorf("%s: %v is outside %v to %v", v.key, v.v, v.lo, v.hi)
		}
	}
	return nil
}

// ArmMode returns Mode as the root package's type.
func (c *Config) ArmMode() twinrig.Mode {
	if c.Mode == twinrig.ModeTorque.String() {
		return twinrig.ModeTorque
	}
	return twinrig.ModePosition
}
