package dynamixel_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// slow is a Port behind an adapter that hands every byte over later than the
// wire does, in order, whatever is asked meanwhile. It lives in its own time,
// which only waiting advances.
type slow struct {
	answer func(instruction []byte) []byte
	delay  time.Duration // of the answer to the next instruction
	now    time.Duration
	until  time.Duration
	queue  []parcel
	wrote  [][]byte
}

type parcel struct {
	due time.Duration
	b   []byte
}

func (s *slow) Write(b []byte) (int, error) {
	s.wrote = append(s.wrote, append([]byte(nil), b...))
	if a := s.answer(b); len(a) > 0 {
		due := s.now + s.delay
		if n := len(s.queue); n > 0 {
			due = max(due, s.queue[n-1].due)
		}
		s.queue = append(s.queue, parcel{due, a})
	}
	return len(b), nil
}

func (s *slow) SetReadTimeout(d time.Duration) error {
	s.until = s.now + d
	return nil
}

func (s *slow) Read(b []byte) (int, error) {
	if len(s.queue) == 0 || s.queue[0].due > max(s.now, s.until) {
		s.now = max(s.now, s.until)
		return 0, os.ErrDeadlineExceeded
	}
	s.now = max(s.now, s.queue[0].due)
	n := copy(b, s.queue[0].b)
	if s.queue[0].b = s.queue[0].b[n:]; len(s.queue[0].b) == 0 {
		s.queue = s.queue[1:]
	}
	return n, nil
}

// numbered answers every instruction as living servos would, and the bytes that
// it reads are the number of the instruction: an answer tells what it answers.
type numbered struct {
	n      byte
	silent map[byte]bool
}

func (v *numbered) answer(instruction []byte) []byte {
	p, _, err := dynamixel.Decode(append([]byte(nil), instruction...))
	if err != nil {
		panic(err)
	}
	v.n++
	data := func(n int) []byte {
		d := make([]byte, n)
		for i := range d {
			d[i] = v.n
		}
		return d
	}
	var out []byte
	status := func(id byte, n int) {
		out = dynamixel.AppendPacket(out, &dynamixel.Packet{ID: dynamixel.ID(id), Instruction: dynamixel.InstStatus, Params: data(n)})
	}
	switch p.Instruction {
	case dynamixel.InstPing:
		status(byte(p.ID), 3)
	case dynamixel.InstRead:
		status(byte(p.ID), int(p.Params[2]))
	case dynamixel.InstWrite:
		status(byte(p.ID), 0)
	case dynamixel.InstSyncRead:
		for _, id := range p.Params[4:] {
			if v.silent[id] {
				break // and mutes the rest
			}
			status(id, int(p.Params[2]))
		}
	case dynamixel.InstFastSyncRead:
		ids, n := p.Params[4:], int(p.Params[2])
		out = []byte{0xFF, 0xFF, 0xFD, 0, 0xFE, byte(1 + len(ids)*(4+n)), 0, byte(dynamixel.InstStatus)}
		for k, id := range ids {
			if v.silent[id] {
				if k == 0 {
					out = nil
				}
				break
			}
			out = append(append(out, 0, id), data(n)...)
			c := dynamixel.CRC(0, out)
			out = append(out, byte(c), byte(c>>8))
		}
	}
	if v.silent[byte(p.ID)] {
		return nil
	}
	return out
}

// TestLateAnswersAreNotTakenForLaterOnes: answers come later than the bus waits,
// by every delay up to some cycles, and for every kind of instruction. Whatever
// is delivered must answer what was asked.
func TestLateAnswersAreNotTakenForLaterOnes(t *testing.T) {
	for delay := time.Duration(0); delay < 30*time.Millisecond; delay += 330 * time.Microsecond {
		for _, kind := range []string{"sync", "fast", "mixed", "single"} {
			v := &numbered{silent: map[byte]bool{}}
			p := &slow{answer: v.answer, delay: delay}
			bus := dynamixel.NewBus(p, dynamixel.Default())
			fresh := 0
			for cycle := range 40 {
				if cycle == 20 {
					p.delay = time.Millisecond // the adapter is itself again
				}
				before := v.n
				for _, got := range ask(t, bus, kind, cycle) {
					fresh++
					// What was sent in this transaction is numbered from before+1.
					require.Greater(t, got, before, "%s, delay %v, cycle %d", kind, delay, cycle)
				}
				p.now += 2 * time.Millisecond
			}
			require.NotZero(t, fresh, "%s, delay %v: it recovers", kind, delay)
		}
	}
}

// ask reads in one of several ways and returns what number each fresh value has.
func ask(t *testing.T, bus *dynamixel.Bus, kind string, cycle int) (numbers []byte) {
	t.Helper()
	fast := kind == "fast" || kind == "mixed" && cycle%3 == 1
	switch {
	case kind == "single" || kind == "mixed" && cycle%3 == 2:
		v, err := bus.Read(dynamixel.ID(1+cycle%2), dynamixel.PresentPosition)
		if err == nil {
			numbers = append(numbers, byte(v))
		} else {
			require.ErrorIs(t, err, dynamixel.ErrTimeout)
		}
	default:
		rs := readings(4, 1, 2, 3)
		read := bus.SyncRead
		if fast {
			read = bus.FastSyncRead
		}
		require.NoError(t, read(dynamixel.PresentPosition.Block(), rs))
		for _, r := range rs {
			if r.Err == nil {
				numbers = append(numbers, r.Data[0])
			}
		}
	}
	return numbers
}

// TestLatenessWithinTheAllowance: a host that is late all the time, but within
// the allowance, gets every reading; also after it was late beyond it for once.
func TestLatenessWithinTheAllowance(t *testing.T) {
	cfg := dynamixel.Default()
	cfg.Allowance = 6 * time.Millisecond
	for _, kind := range []string{"sync", "fast", "single"} {
		for delay := time.Duration(0); delay < cfg.Allowance+time.Millisecond; delay += 270 * time.Microsecond {
			v := &numbered{silent: map[byte]bool{}}
			p := &slow{answer: v.answer, delay: delay}
			bus := dynamixel.NewBus(p, cfg)
			for cycle := range 20 {
				if p.delay = delay; cycle == 3 {
					p.delay = 15 * time.Millisecond
				}
				want := 3
				if kind == "single" {
					want = 1
				}
				if got := ask(t, bus, kind, cycle); cycle < 3 || cycle > 6 {
					require.Len(t, got, want, "%s, delay %v, cycle %d", kind, delay, cycle)
				}
				p.now += 2 * time.Millisecond
			}
		}
	}
}

// TestFence: when every servo that is asked owes an answer of that length, a
// read of another length goes first, and what comes before its answer is not
// taken.
func TestFence(t *testing.T) {
	v := &numbered{silent: map[byte]bool{}}
	p := &slow{answer: v.answer, delay: time.Hour}
	cfg := dynamixel.Default()
	cfg.Retries = 0
	bus := dynamixel.NewBus(p, cfg)
	_, err := bus.Read(1, dynamixel.PresentPosition)
	require.ErrorIs(t, err, dynamixel.ErrTimeout)
	p.queue[0].due = p.now + 2*time.Millisecond
	p.delay = time.Millisecond

	got, err := bus.Read(1, dynamixel.GoalPosition)
	require.NoError(t, err)
	require.EqualValues(t, 0x03030303, got)
	require.Len(t, p.wrote, 3)
	fence, _, err := dynamixel.Decode(p.wrote[1])
	require.NoError(t, err)
	require.Equal(t, dynamixel.InstRead, fence.Instruction)
	require.NotEqualValues(t, 4, fence.Params[2])
	require.EqualValues(t, 1, bus.Stats().Late)

	// Nothing is owed any more.
	_, err = bus.Read(1, dynamixel.GoalPosition)
	require.NoError(t, err)
	require.Len(t, p.wrote, 4)
}

// TestLateConsentIsNone: a servo's late consent to one write is not its consent
// to another, and the other is sent in any case.
func TestLateConsentIsNone(t *testing.T) {
	v := &numbered{silent: map[byte]bool{}}
	p := &slow{answer: v.answer, delay: 5 * time.Millisecond}
	cfg := dynamixel.Default()
	cfg.Retries = 0
	bus := dynamixel.NewBus(p, cfg)
	require.ErrorIs(t, bus.Write(1, dynamixel.GoalPosition, 2048), dynamixel.ErrTimeout)
	v.silent[1] = true
	require.ErrorIs(t, bus.Write(1, dynamixel.TorqueEnable, 0), dynamixel.ErrTimeout)
	last, _, err := dynamixel.Decode(p.wrote[len(p.wrote)-1])
	require.NoError(t, err)
	require.Equal(t, dynamixel.Packet{ID: 1, Instruction: dynamixel.InstWrite, Params: unhex("40 00 00")}.Params, last.Params)
	require.Equal(t, dynamixel.InstWrite, last.Instruction)

	// Another servo's life settles it: the line passes bytes on in order.
	v.silent[1] = false
	p.delay = time.Millisecond
	_, err = bus.Ping(2)
	require.NoError(t, err)
	n := len(p.wrote)
	require.NoError(t, bus.Write(1, dynamixel.TorqueEnable, 0))
	require.Len(t, p.wrote, n+1, "without a fence")
}

// TestSlowServos: servos that wait longer before they answer than the bus was
// told, up to the longest Return Delay Time. Nothing that is delivered is another
// register's.
func TestSlowServos(t *testing.T) {
	for _, how := range reads {
		for delay := int32(0); delay <= 254; delay += 127 {
			for _, gap := range []time.Duration{0, 3 * time.Millisecond, 9 * time.Millisecond} {
				t.Run(fmt.Sprintf("%s, return delay %d, gap %v", how.name, delay, gap), func(t *testing.T) {
					b := newBench(servotest.Default(), dynamixel.Default())
					b.chain.Do(func(servos []*servotest.Servo) {
						for _, s := range servos {
							s.Set(dynamixel.ReturnDelayTime, delay)
							s.Set(dynamixel.ProfileVelocity, 1000+int32(s.ID()))
							s.Set(dynamixel.ProfileAcceleration, 2000+int32(s.ID()))
						}
					})
					rs := readings(4, b.ids...)
					for cycle := range 60 {
						b.silence(dynamixel.ID(1+cycle%9), cycle%4 == 0)
						reg, base := dynamixel.ProfileVelocity, 1000
						if cycle%2 == 1 {
							reg, base = dynamixel.ProfileAcceleration, 2000
						}
						require.NoError(t, how.read(b.bus, reg.Block(), rs))
						for _, r := range rs {
							if r.Err == nil {
								require.EqualValues(t, base+int(r.ID), reg.Value(r.Data), "cycle %d", cycle)
							}
						}
						b.wait(gap)
					}
				})
			}
		}
	}
}
