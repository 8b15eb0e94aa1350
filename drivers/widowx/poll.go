package widowx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"twinrig/drivers/dynamixel"
)

// missLimit is how many readings in a row a servo may miss before the poll tries
// something else: on a line that damages a byte in five hundred, chance alone does
// that once in a year.
const missLimit = 8

// calmLimit is how many complete readings in a row tell that the trouble is over.
const calmLimit = 1000

// poll reads all servos in one transaction a cycle.
//
// On a bus where servos answer in turn, one that is silent keeps those behind
// it silent too. So when readings stay incomplete the poll first goes from Fast
// Sync Read to Sync Read, and then leaves the first silent servo out until a
// look at its health finds it again.
type poll struct {
	servos []servoReading
	// readings[:active] is what one transaction asks for; servo[k] is the
	// servo of readings[k].
	readings []dynamixel.Reading
	servo    []int
	active   int

	raws       []raw
	fast       bool // how to read now
	fastWanted bool // what Open chose
	complete   int  // readings in a row
}

// servoReading is how one servo's last readings went.
type servoReading struct {
	fresh  bool // answered in the last transaction
	alert  bool
	at     time.Duration // of the last fresh reading; 0 before the first Read
	missed uint64        // in all
	again  uint64        // readings that came only when asked for again
	row    int           // missed in a row
	// away is where the servo was when it was left out, until a repair has seen
	// that it is still there.
	away  int32
	gone  bool
	wrong int // implausible readings in a row
}

func newPoll(motors []motor) *poll {
	p := &poll{
		servos:   make([]servoReading, len(motors)),
		readings: make([]dynamixel.Reading, len(motors)),
		servo:    make([]int, len(motors)),
		raws:     make([]raw, len(motors)),
	}
	for i := range motors {
		p.readings[i] = dynamixel.Reading{ID: motors[i].id, Data: make([]byte, blockState.Len)}
		p.servo[i] = i
	}
	p.active = len(motors)
	return p
}

// cycle is one transaction. It fills raws of the servos that answered and marks
// them fresh. An error means that the bus itself is gone.
func (p *poll) cycle(bus Group) error {
	for i := range p.servos {
		p.servos[i].fresh = false
	}
	rs := p.readings[:p.active]
	var err error
	if p.fast {
		err = bus.FastSyncRead(blockState, rs)
	} else {
		err = bus.SyncRead(blockState, rs)
	}
	if err != nil {
		return err
	}
	for k := range rs {
		i := p.servo[k]
		s := &p.servos[i]
		if rs[k].Err != nil {
			s.miss()
			continue
		}
		read := decodeState(rs[k].Data)
		if !s.plausible(&p.raws[i], &read) {
			s.miss()
			continue
		}
		s.fresh, s.row = true, 0
		if rs[k].Retries > 0 {
			s.again++
		}
		s.alert = rs[k].Status&dynamixel.AlertBit != 0
		p.raws[i] = read
	}
	return nil
}

func (s *servoReading) miss() {
	s.missed++
	s.row++
}

// What a servo can do between two readings of a control loop: its checksum lets
// one damaged packet in 65,536 through, and on a bad line that is one a day.
const (
	mostStep  = 400  // ticks, 35 deg: a hundredth of a second at six times full speed
	mostSpeed = 600  // steps, 14 rad/s: twice an XL430 without load
	mostLoad  = 2500 // steps, 6.7 A, or more than all of an XL430's output
	believed  = 3    // readings in a row that say the same are true after all
)

// plausible tells whether a servo that was at old can be at read.
func (s *servoReading) plausible(old, read *raw) bool {
	if s.at == 0 || s.gone {
		return true // there is nothing to compare with
	}
	if abs(read.position-old.position) <= mostStep && abs(read.velocity) <= mostSpeed && abs(read.load) <= mostLoad {
		s.wrong = 0
		return true
	}
	if s.wrong++; s.wrong < believed {
		return false
	}
	s.wrong = 0
	return true
}

func decodeState(b []byte) raw {
	return raw{
		load:     int32(int16(binary.LittleEndian.Uint16(b))),
		velocity: int32(binary.LittleEndian.Uint32(b[2:])),
		position: int32(binary.LittleEndian.Uint32(b[6:])),
	}
}

// missing names the servos that did not answer the last cycle.
func (p *poll) missing(motors []motor) error {
	var errs []error
	for k := range p.servo {
		if i := p.servo[k]; !p.servos[i].fresh {
			errs = append(errs, fmt.Errorf("%s: %w", motors[i].name(), p.readings[k].Err))
		}
	}
	return errors.Join(errs...)
}

// stamp notes the time of what the last cycle read and returns how many servos
// answered.
func (p *poll) stamp(now time.Duration) int {
	n := 0
	for i := range p.servos {
		if s := &p.servos[i]; s.fresh {
			s.at = now
			n++
		}
	}
	return n
}

// adapt changes how the next cycles read when a servo misses reading after reading,
// and says what it changed. A bus on which nobody answers is not its business.
func (p *poll) adapt(answered int) string {
	if answered == p.active {
		if p.complete++; p.complete == calmLimit && p.fastWanted && !p.fast {
			p.fast = true
			return "the line is calm: reading with Fast Sync Read again"
		}
		return ""
	}
	p.complete = 0
	k := slices.IndexFunc(p.servo[:p.active], func(i int) bool { return p.servos[i].row >= missLimit })
	if answered == 0 || k < 0 {
		return ""
	}
	if p.fast {
		p.fast = false
		p.servos[p.servo[k]].row = 0
		return "Fast Sync Read stays incomplete: reading with Sync Read"
	}
	id := p.readings[k].ID
	p.bench(k)
	p.fast = p.fastWanted
	return fmt.Sprintf("id %d does not answer: reading the others without it", id)
}

// bench takes reading k out of the transaction, the others keep their order.
func (p *poll) bench(k int) {
	if s := &p.servos[p.servo[k]]; !s.gone {
		s.gone, s.away = true, p.raws[p.servo[k]].position
	}
	p.active--
	for ; k < p.active; k++ {
		p.swap(k, k+1)
	}
}

// leaveOut benches servo i, if it is not already.
func (p *poll) leaveOut(i int) {
	if k := slices.Index(p.servo[:p.active], i); k >= 0 {
		p.bench(k)
	}
}

func (p *poll) swap(k, l int) {
	p.readings[k], p.readings[l] = p.readings[l], p.readings[k]
	p.servo[k], p.servo[l] = p.servo[l], p.servo[k]
}

// benched tells whether servo i is left out.
func (p *poll) benched(i int) bool { return slices.Contains(p.servo[p.active:], i) }

// recall takes servo i back, last in the transaction.
func (p *poll) recall(i int) {
	if k := slices.Index(p.servo, i); k >= p.active {
		p.swap(k, p.active)
		p.active++
		p.servos[i].row = 0
	}
}

// back tells where servo i was when it was left out, and that it is in service.
func (p *poll) back(i int) (was int32) {
	s := &p.servos[i]
	was = p.raws[i].position
	if s.gone {
		was = s.away
	}
	s.gone = false
	return was
}

// age is how old axis's values are at now: the oldest of its servos'.
func (p *poll) age(of []int, now time.Duration) time.Duration {
	oldest := time.Duration(0)
	for _, i := range of {
		oldest = max(oldest, now-p.servos[i].at)
	}
	return oldest
}
