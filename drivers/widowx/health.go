package widowx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"twinrig"
	"twinrig/drivers/dynamixel"
)

// Status is what is known of the bus and its servos beside their motion.
type Status struct {
	Servos []twinrig.ServoHealth
	// FastSync says how the servos are read just now.
	FastSync bool
	// Notes is what the driver changed or noticed since Open, oldest first.
	Notes []string
}

// probeEvery is how many readings pass between two looks at a servo that stopped
// answering; each costs a time-out.
const probeEvery = 25

// health is the slow look at one servo at a time.
type health struct {
	cycles int // readings since the last look
	probes int // readings with a servo left out
	next   int // turn: servo next/2, of even turns torque and errors, of odd ones supply
	torque [1]dynamixel.Reading
	supply [1]dynamixel.Reading
	dog    [1]dynamixel.Reading

	mu     sync.Mutex // of status
	status Status
}

func newHealth(motors []motor) *health {
	h := &health{}
	h.reset(motors)
	h.torque[0].Data = make([]byte, blockHealth.Len)
	h.supply[0].Data = make([]byte, blockSupply.Len)
	h.dog[0].Data = make([]byte, blockWatchdog.Len)
	return h
}

// reset forgets everything; Open starts anew.
func (h *health) reset(motors []motor) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cycles, h.next, h.status = 0, 0, Status{}
	for i := range motors {
		m := &motors[i]
		nan := math.NaN()
		h.status.Servos = append(h.status.Servos, twinrig.ServoHealth{
			ID: uint8(m.id), Axis: m.axis, Shadow: m.shadow,
			VoltageV: nan, TemperatureC: nan, CurrentA: nan, Load: nan,
		})
	}
}

// Status returns a copy of what is known of the servos. It does no I/O and may
// be called from any goroutine.
func (a *Arm) Status() Status {
	h := a.health
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.status
	s.Servos, s.Notes = slices.Clone(s.Servos), slices.Clone(s.Notes)
	return s
}

// note records what happened, once and not every cycle.
func (h *health) note(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	const most = 100
	if len(h.status.Notes) < most {
		h.status.Notes = append(h.status.Notes, what)
	}
}

// hardwareError joins the errors of an axis's servos. Only the reading's own
// goroutine writes status, so reading it there needs no lock.
func (h *health) hardwareError(of []int) (bits uint8) {
	for _, i := range of {
		bits |= h.status.Servos[i].HardwareError
	}
	return bits
}

// look is the reading's slow part: a servo that newly raises its alert at once,
// otherwise one servo every HealthEveryCycles.
func (a *Arm) look() {
	h, p := a.health, a.poll
	h.mu.Lock()
	for i := range p.servos {
		s := &h.status.Servos[i]
		if p.servos[i].fresh && !p.servos[i].alert {
			s.HardwareError = 0
		}
	}
	h.status.FastSync = p.fast
	h.mu.Unlock()

	for i := range p.servos {
		if p.servos[i].fresh && p.servos[i].alert && h.status.Servos[i].HardwareError == 0 {
			a.lookAtTorque(i)
			return
		}
	}
	if away := p.servo[p.active:]; len(away) > 0 {
		if h.probes++; h.probes%probeEvery == 0 {
			a.lookAtTorque(away[h.probes/probeEvery%len(away)])
			return
		}
	}
	if h.cycles++; h.cycles < a.cfg.HealthEveryCycles {
		return
	}
	h.cycles = 0
	i := h.next / 2 % len(p.servos)
	if h.next%2 == 0 {
		a.lookAtTorque(i)
	} else {
		a.lookAtSupply(i)
	}
	h.next++
}

// lookAtTorque reads whether servo i has torque and what error it has.
func (a *Arm) lookAtTorque(i int) {
	h := a.health
	r := &h.torque[0]
	r.ID = a.motors[i].id
	if a.bus.SyncRead(blockHealth, h.torque[:]) != nil || r.Err != nil {
		return // the cyclic reading says so already
	}
	a.poll.recall(i)
	on, bits := r.Data[0] == 1, r.Data[blockHealth.Len-1]
	if on && bits == 0 {
		a.poll.back(i) // it never was away
	}
	h.mu.Lock()
	h.status.Servos[i].TorqueOn, h.status.Servos[i].HardwareError = on, bits
	h.mu.Unlock()
	// Still enabled after the look: Halt was not what took torque off.
	if !on && bits == 0 && a.isEnabled() {
		a.lose(fmt.Sprintf("%s has no torque", a.motors[i].name()))
	}
}

func (a *Arm) lookAtSupply(i int) {
	h := a.health
	r := &h.supply[0]
	r.ID = a.motors[i].id
	if a.bus.SyncRead(blockSupply, h.supply[:]) != nil || r.Err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status.Servos[i].VoltageV = 0.1 * float64(binary.LittleEndian.Uint16(r.Data))
	h.status.Servos[i].TemperatureC = float64(r.Data[2])
}

// lookAtWatchdog reads whether the bus watchdog has stopped a servo. Any that
// answers will do: all heard the same silence. It returns false when the answer
// did not come, for then nothing else tells: goals are sent unanswered, and a
// servo that was stopped refuses them.
func (a *Arm) lookAtWatchdog() bool {
	h := a.health
	i := slices.IndexFunc(a.poll.servos, func(s servoReading) bool { return s.fresh })
	r := &h.dog[0]
	r.ID = a.motors[i].id
	if a.bus.SyncRead(blockWatchdog, h.dog[:]) != nil || r.Err != nil {
		return false
	}
	if int8(r.Data[0]) < 0 && a.isEnabled() {
		a.lose(fmt.Sprintf("%s was stopped by its bus watchdog", a.motors[i].name()))
	}
	return true
}

// lose makes every further Write report why the arm no longer obeys.
func (a *Arm) lose(why string) {
	if a.lost == nil {
		a.lost = fmt.Errorf("%w: %s", ErrTorqueLost, why)
		a.health.note(why)
	}
}

// ErrorBits names the bits of a servo's Hardware Error Status, for messages.
func ErrorBits(bits uint8) []string {
	var names []string
	for _, b := range []struct {
		bit  uint8
		name string
	}{
		{dynamixel.HardwareVoltage, "input voltage"},
		{dynamixel.HardwareHeat, "overheating"},
		{dynamixel.HardwareEncoder, "encoder"},
		{dynamixel.HardwareShock, "electrical shock"},
		{dynamixel.HardwareOverload, "overload"},
	} {
		if bits&b.bit != 0 {
			names = append(names, b.name)
		}
	}
	return names
}
