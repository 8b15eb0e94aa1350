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

// settleEEPROM refuses permanent settings that differ, all of them in its error,
// or writes them if that is permitted. Torque is off.
func (a *Arm) settleEEPROM(s *Survey) error {
	if diff := s.Diff(); len(diff) > 0 && !a.cfg.WriteEEPROM {
		return fmt.Errorf("permanent settings differ, set write_eeprom: true to change them: %s", strings.Join(diff, "; "))
	}
	for i := range a.motors {
		m := &a.motors[i]
		for _, d := range s.Servos[i].Differences {
			if err := a.ensure(m, d.reg, d.Want); err != nil {
				return err
			}
			a.health.note(fmt.Sprintf("%s: %s changed from %d to %d for good", m.name(), d.Register, d.Have, d.Want))
		}
	}
	return nil
}
