package widowx

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
)

// Surveyor is the part of a bus that a survey needs: nothing in it changes a
// servo.
type Surveyor interface {
	Ping(id dynamixel.ID) (dynamixel.Info, error)
	PingAll() ([]dynamixel.Found, error)
	Read(id dynamixel.ID, r dynamixel.Register) (int32, error)
}

// Survey is what one look at everything on the bus found, beside what should be
// there. Nothing was written.
type Survey struct {
	// Servos are those of the calibration, in its order.
	Servos []Surveyed
	// Strangers answered a ping to all, but the calibration knows none such.
	Strangers []dynamixel.Found
	// Pairs are the joints with two servos, both of which answered.
	Pairs []Pair
	// Pose is where the arm stands, in rad; of use only if PoseKnown: the first
	// servo of every joint answered.
	Pose      twinrig.Joints
	Grip      twinrig.Grip
	PoseKnown bool
}

// Surveyed is one servo of the calibration.
type Surveyed struct {
	Name   string // as messages call it
	ID     dynamixel.ID
	Axis   int // index into twinrig.AxisNames
	Shadow bool
	// Err is why the servo could not be looked at; then nothing below holds.
	Err             error
	Model, Want     uint16
	WantModel       string
	Firmware        uint8
	Differences     []Difference // permanent settings that are not as needed
	VoltageV        float64
	VoltageLimitsV  [2]float64 // the servo's own, least and most
	TemperatureC    float64
	TemperatureMost float64 // the servo's own limit, C
	HardwareError   uint8
	TorqueOn        bool
	PositionTick    int32
	AngleRad        float64
	HomingOffset    int32 // ticks
	ReturnDelayUs   float64
	OperatingMode   int32
}

// Difference is a permanent setting that is not as the driver needs it.
type Difference struct {
	Register   string
	Have, Want int32
	Why        string
	reg        dynamixel.Register
}

// String is a line of the diff.
func (d Difference) String() string {
	return fmt.Sprintf("%s is %d, want %d (%s)", d.Register, d.Have, d.Want, d.Why)
}

// Pair is how far the shadow of a joint is from its first servo.
type Pair struct {
	Axis   int
	IDs    [2]dynamixel.ID
	GapRad float64
}

// Look surveys the bus against what cal says is on it. It asks only, and takes
// about half a second at 1 Mbps. Its error says that the bus itself is gone;
// what is wrong with a servo is in the Survey.
func Look(bus Surveyor, cal calib.Arm) (Survey, error) {
	if err := cal.Validate(); err != nil {
		return Survey{}, fmt.Errorf("widowx: calibration: %w", err)
	}
	s, err := newMotorMap(&cal, twinrig.ModePosition).survey(bus)
	if err != nil {
		return s, fmt.Errorf("widowx: survey: %w", err)
	}
	return s, nil
}

func (m *motorMap) survey(bus Surveyor) (Survey, error) {
	found, err := bus.PingAll()
	if err != nil {
		return Survey{}, err
	}
	var s Survey
	for _, f := range found {
		if !slices.ContainsFunc(m.motors, func(mo motor) bool { return mo.id == f.ID }) {
			s.Strangers = append(s.Strangers, f)
		}
	}
	raws := make([]raw, len(m.motors))
	for i := range m.motors {
		s.Servos = append(s.Servos, m.motors[i].look(bus))
		raws[i].position = s.Servos[i].PositionTick
	}
	m.pose(&s, raws)
	return s, nil
}

// pose works out where the arm stands, and how well its pairs agree.
func (m *motorMap) pose(s *Survey, raws []raw) {
	var state twinrig.State
	m.state(raws, &state)
	s.Pose, s.Grip, s.PoseKnown = state.Measured, state.Grip, true
	for axis, of := range m.of {
		for _, i := range of {
			if s.Servos[i].Err != nil && i == of[0] {
				s.PoseKnown = false
			}
		}
		if len(of) == 2 && s.Servos[of[0]].Err == nil && s.Servos[of[1]].Err == nil {
			s.Pairs = append(s.Pairs, Pair{
				Axis: axis, IDs: [2]dynamixel.ID{m.motors[of[0]].id, m.motors[of[1]].id},
				GapRad: m.shadowGap(axis, raws),
			})
		}
	}
}

// look asks one servo for everything that matters before torque.
func (m *motor) look(bus Surveyor) Surveyed {
	s := Surveyed{
		Name: m.name(), ID: m.id, Axis: m.axis, Shadow: m.shadow,
		Want: m.modelNumber(), WantModel: m.model(),
	}
	info, err := bus.Ping(m.id)
	if err != nil {
		s.Err = fmt.Errorf("%s: ping: %w", m.name(), err)
		return s
	}
	s.Model, s.Firmware = info.Model, info.Firmware
	if s.Model != s.Want {
		return s // its registers mean other things
	}
	read := func(r dynamixel.Register) int32 {
		if s.Err != nil {
			return 0
		}
		v, err := bus.Read(m.id, r)
		if err != nil {
			s.Err = fmt.Errorf("%s: %s: %w", m.name(), r.Name, err)
		}
		return v
	}
	for _, p := range m.permanents() {
		if v := read(p.reg); !p.ok(v) && s.Err == nil {
			s.Differences = append(s.Differences, Difference{p.reg.Name, v, v&^p.mask | p.want, p.why, p.reg})
		}
	}
	s.VoltageV = 0.1 * float64(read(dynamixel.PresentInputVoltage))
	s.VoltageLimitsV = [2]float64{0.1 * float64(read(dynamixel.MinVoltageLimit)), 0.1 * float64(read(dynamixel.MaxVoltageLimit))}
	s.TemperatureC = float64(read(dynamixel.PresentTemperature))
	s.TemperatureMost = float64(read(dynamixel.TemperatureLimit))
	s.HardwareError = uint8(read(dynamixel.HardwareErrorStatus))
	s.TorqueOn = read(dynamixel.TorqueEnable) == 1
	s.PositionTick = read(dynamixel.PresentPosition)
	s.HomingOffset = read(dynamixel.HomingOffset)
	s.ReturnDelayUs = 1e6 * dynamixel.ReturnDelaySecPerStep * float64(read(dynamixel.ReturnDelayTime))
	s.OperatingMode = read(dynamixel.OperatingMode)
	s.AngleRad = m.angle(s.PositionTick)
	return s
}

// Misfits says what keeps the bus from being the arm of the calibration: absent
// and unknown servos, other models, firmware that cannot do what cfg wants. It
// is nil when scan and configuration are equal.
func (s *Survey) Misfits(cfg *Config) error {
	var errs []error
	for i := range s.Servos {
		v := &s.Servos[i]
		switch {
		case v.Err != nil:
			errs = append(errs, v.Err)
		case v.Model != v.Want:
			errs = append(errs, fmt.Errorf("%s: model number is %d, want %d (%s)", v.Name, v.Model, v.Want, v.WantModel))
		case cfg.Watchdog > 0 && v.Firmware < firmwareWatchdog:
			errs = append(errs, fmt.Errorf("%s: firmware %d has no bus watchdog, %d has; update it, or set watchdog: 0s",
				v.Name, v.Firmware, firmwareWatchdog))
		}
	}
	for _, f := range s.Strangers {
		errs = append(errs, fmt.Errorf("id %d (model number %d) answers, but the calibration has no such motor: another arm's file, or a servo with a changed ID?", f.ID, f.Model))
	}
	return errors.Join(errs...)
}

// FastSync tells whether every servo's firmware knows Fast Sync Read.
func (s *Survey) FastSync() bool {
	return !slices.ContainsFunc(s.Servos, func(v Surveyed) bool { return v.Firmware < firmwareFastSync })
}

// Diff lists the permanent settings that are not as needed, a line each; empty
// if there are none.
func (s *Survey) Diff() []string {
	var lines []string
	for i := range s.Servos {
		for _, d := range s.Servos[i].Differences {
			lines = append(lines, s.Servos[i].Name+": "+d.String())
		}
	}
	return lines
}

// Alarms names the servos that have a hardware error; empty if there are none.
func (s *Survey) Alarms() []string {
	var lines []string
	for i := range s.Servos {
		if v := &s.Servos[i]; v.HardwareError != 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", v.Name, strings.Join(ErrorBits(v.HardwareError), ", ")))
		}
	}
	return lines
}

// WorstPair returns the pair that disagrees most, and whether there is one.
func (s *Survey) WorstPair() (Pair, bool) {
	if len(s.Pairs) == 0 {
		return Pair{}, false
	}
	return slices.MaxFunc(s.Pairs, func(a, b Pair) int {
		switch d := math.Abs(a.GapRad) - math.Abs(b.GapRad); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	}), true
}
