package record

import (
	"time"

	"twinrig"
)

// servoPeriod is how often the servos' health is recorded when nothing happens.
const servoPeriod = time.Second

// servoLog decides when the servos' health is worth a message.
type servoLog struct {
	begun  bool
	at     time.Duration
	errors [twinrig.MaxServos]uint8
}

// due tells whether s's servos are to be recorded: once a period, and whenever a
// hardware error comes or goes.
func (l *servoLog) due(s *twinrig.State) bool {
	changed := false
	for i := range s.Servos[:s.NumServos] {
		changed = changed || s.Servos[i].HardwareError != l.errors[i]
		l.errors[i] = s.Servos[i].HardwareError
	}
	if s.NumServos == 0 || l.begun && !changed && s.Stamp-l.at < servoPeriod {
		return false
	}
	l.begun, l.at = true, s.Stamp
	return true
}
