package servotest_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// bench is a chain with a bus in lockstep. IDs 1 and 2 are XM430s, 3 an XL430.
type bench struct {
	t      *testing.T
	chain  *servotest.Chain
	clock  *servotest.Clock
	pipe   *servotest.Pipe
	bus    *dynamixel.Bus
	shafts servotest.Flywheels
	servos []*servotest.Servo
}

// setup is what a test may change before the servos are powered up.
type setup struct {
	line   servotest.Config
	params servotest.Params
	servos []*servotest.Servo
	shafts servotest.Flywheels
}

func newBench(t *testing.T, change ...func(*setup)) *bench {
	t.Helper()
	s := setup{line: servotest.Default(), params: servotest.DefaultParams(), shafts: servotest.NewFlywheels(3)}
	for _, f := range change {
		f(&s)
	}
	for i, model := range []*dynamixel.Model{&dynamixel.XM430W350, &dynamixel.XM430W350, &dynamixel.XL430W250} {
		s.servos = append(s.servos, servotest.NewServo(model, dynamixel.ID(i+1), s.params))
	}
	require.NoError(t, s.line.Validate())
	b := &bench{
		t: t, clock: &servotest.Clock{}, shafts: s.shafts, servos: s.servos,
		chain: servotest.NewChain(s.line, s.servos, s.shafts),
	}
	b.pipe = servotest.NewPipe(b.chain, b.clock)
	cfg := dynamixel.Default()
	cfg.Retries = 0
	b.bus = dynamixel.NewBus(b.pipe, cfg)
	return b
}

// wait lets time pass.
func (b *bench) wait(d time.Duration) {
	b.clock.AdvanceTo(b.clock.Now() + d)
	b.chain.AdvanceTo(b.clock.Now())
}

func (b *bench) write(id dynamixel.ID, r dynamixel.Register, v int32) {
	b.t.Helper()
	require.NoError(b.t, b.bus.Write(id, r, v))
}

func (b *bench) read(id dynamixel.ID, r dynamixel.Register) int32 {
	b.t.Helper()
	v, err := b.bus.Read(id, r)
	require.NoError(b.t, err)
	return v
}

// mode sets an operating mode and takes torque on.
func (b *bench) mode(id dynamixel.ID, mode int32) {
	b.t.Helper()
	b.write(id, dynamixel.TorqueEnable, 0)
	b.write(id, dynamixel.OperatingMode, mode)
	b.write(id, dynamixel.TorqueEnable, 1)
}

// refuses requires that err is a refusal with code.
func (b *bench) refuses(code byte, err error) {
	b.t.Helper()
	var refused *dynamixel.StatusError
	require.ErrorAs(b.t, err, &refused)
	require.Equal(b.t, code, refused.Code, err)
}

// ask sends raw bytes and returns the packets that come back within 50 ms.
func (b *bench) ask(wire []byte) []dynamixel.Packet {
	b.t.Helper()
	_, err := b.pipe.Write(wire)
	require.NoError(b.t, err)
	require.NoError(b.t, b.pipe.SetReadTimeout(50*time.Millisecond))
	var answer []byte
	var buf [256]byte
	for {
		n, err := b.pipe.Read(buf[:])
		answer = append(answer, buf[:n]...)
		if err != nil {
			require.ErrorIs(b.t, err, os.ErrDeadlineExceeded)
			break
		}
	}
	var ps []dynamixel.Packet
	for len(answer) > 0 {
		p, n, err := dynamixel.Decode(answer)
		require.NoError(b.t, err)
		p.Params = bytes.Clone(p.Params)
		ps = append(ps, p)
		answer = answer[n:]
	}
	return ps
}

// send is ask with a packet.
func (b *bench) send(id dynamixel.ID, inst dynamixel.Instruction, params ...byte) []dynamixel.Packet {
	b.t.Helper()
	return b.ask(dynamixel.AppendPacket(nil, &dynamixel.Packet{ID: id, Instruction: inst, Params: params}))
}

// only requires that one packet came back, and returns it.
func (b *bench) only(ps []dynamixel.Packet) dynamixel.Packet {
	b.t.Helper()
	require.Len(b.t, ps, 1)
	return ps[0]
}

// ids returns who answered.
func ids(ps []dynamixel.Packet) []dynamixel.ID {
	var ids []dynamixel.ID
	for _, p := range ps {
		ids = append(ids, p.ID)
	}
	return ids
}
