package widowx

import (
	"fmt"
	"strings"

	"twinrig/drivers/dynamixel"
)

// secondaryOff is a Secondary ID that is none.
const secondaryOff = 255

// permanent is one permanent setting that must have a certain value in the bits
// of mask.
type permanent struct {
	reg        dynamixel.Register
	mask, want int32
	why        string
}

// permanents is what the driver needs of a servo. Everything else stays as its
// owner set it.
func (m *motor) permanents() []permanent {
	reverse := int32(0)
	if m.reverse {
		reverse = dynamixel.DriveReverse
	}
	return []permanent{
		{dynamixel.ReturnDelayTime, 0xFF, 0, "each microsecond of delay is paid by every servo in every cycle"},
		{dynamixel.DriveMode, dynamixel.DriveReverse | dynamixel.DriveGoalTorque, reverse, "bit 1 is the way the servo is mounted, bit 8 would let a goal undo Halt"},
		{dynamixel.SecondaryID, 0xFF, secondaryOff, "every servo is written to by its own ID"},
	}
}

// ok tells whether v is as wanted. A Secondary ID above 252 is off as well.
func (p *permanent) ok(v int32) bool {
	if p.want == secondaryOff {
		return v&p.mask > 252
	}
	return v&p.mask == p.want
}

// settleEEPROM compares the permanent settings, and writes those that differ if
// that is permitted. Its error lists them all.
func (a *Arm) settleEEPROM() error {
	var differ []string
	for i := range a.motors {
		m := &a.motors[i]
		for _, p := range m.permanents() {
			v, err := a.read(m, p.reg)
			if err != nil {
				return err
			}
			if p.ok(v) {
				continue
			}
			want := v&^p.mask | p.want
			if !a.cfg.WriteEEPROM {
				differ = append(differ, fmt.Sprintf("%s: %s is %d, want %d (%s)", m.name(), p.reg.Name, v, want, p.why))
				continue
			}
			if err := a.ensure(m, p.reg, want); err != nil {
				return err
			}
			a.health.note(fmt.Sprintf("%s: %s changed from %d to %d for good", m.name(), p.reg.Name, v, want))
		}
	}
	if len(differ) > 0 {
		return fmt.Errorf("permanent settings differ, set write_eeprom: true to change them: %s", strings.Join(differ, "; "))
	}
	return nil
}
