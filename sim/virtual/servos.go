package virtual

import (
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// newServos returns the nine servos of a WidowX 250S as Interbotix ships it
// (wx250s.yaml): XM430s but for the last two, mirrored ones in reverse.
func newServos(h *Hidden) []*servotest.Servo {
	var servos []*servotest.Servo
	for i, m := range mountings {
		model := &dynamixel.XM430W350
		if i >= NumServos-2 {
			model = &dynamixel.XL430W250
		}
		p := servotest.DefaultParams()
		p.TorqueScale, p.CommandDelay = h.TorqueScale[i], h.CommandDelay[i]
		s := servotest.NewServo(model, dynamixel.ID(i+1), p)
		if m.sign < 0 {
			s.Set(dynamixel.DriveMode, dynamixel.DriveReverse)
		}
		servos = append(servos, s)
	}
	return servos
}
