package servotest_test

import (
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

const ms = time.Millisecond

// line is three servos, IDs 1 to 3, on a bus in lockstep, with faults.
type faulty struct {
	clock  servotest.Clock
	chain  *servotest.Chain
	wheels servotest.Flywheels
	pipe   *servotest.Pipe
	bus    *dynamixel.Bus
}

func withFaults(t *testing.T, faults ...servotest.Fault) *faulty {
	t.Helper()
	f := &faulty{wheels: servotest.NewFlywheels(3)}
	var servos []*servotest.Servo
	for id := 1; id <= 3; id++ {
		f.wheels[id-1].Angle = 0.1 * float64(id)
		servos = append(servos, servotest.NewServo(&dynamixel.XM430W350, dynamixel.ID(id), servotest.DefaultParams()))
	}
	cfg := servotest.Default()
	cfg.Seed = 5
	f.chain = servotest.NewChain(cfg, servos, f.wheels)
	f.pipe = servotest.NewPipe(f.chain, &f.clock)
	bus := dynamixel.Default()
	bus.Retries = 0
	f.bus = dynamixel.NewBus(f.pipe, bus)
	require.NoError(t, f.chain.Inject(faults...))
	return f
}

func (f *faulty) at(t time.Duration) {
	f.clock.AdvanceTo(t)
	f.chain.AdvanceTo(t)
}

// ok asks every servo for its position n times and returns how often each
// answered rightly; a wrong answer fails the test.
func (f *faulty) ok(t *testing.T, n int) (good [3]int) {
	t.Helper()
	for range n {
		for k := range good {
			v, err := f.bus.Read(dynamixel.ID(k+1), dynamixel.PresentPosition)
			if err == nil {
				require.Equal(t, 2048+int32(math.Round(0.1*float64(k+1)/dynamixel.RadPerPulse)), v)
				good[k]++
			}
		}
	}
	return good
}

// Faults of the line: it is whole before and after, and in between answers are
// missing, and never wrong.
func TestLineFaults(t *testing.T) {
	for _, c := range []struct {
		fault servotest.Fault
		least int // of 30 good answers in between
		most  int
	}{
		{servotest.Fault{Kind: servotest.Lost, Rate: 0.05}, 5, 25},
		{servotest.Fault{Kind: servotest.Corrupted, Rate: 0.03}, 3, 25},
		{servotest.Fault{Kind: servotest.Truncated, Rate: 0.5}, 8, 22},
		{servotest.Fault{Kind: servotest.Late, Delay: 20 * ms}, 0, 0},
		{servotest.Fault{Kind: servotest.Echo}, 30, 30},
		{servotest.Fault{Kind: servotest.Junk, Rate: 1}, 30, 30},
		{servotest.Fault{Kind: servotest.Unplugged}, 0, 0},
	} {
		t.Run(string(c.fault.Kind), func(t *testing.T) {
			c.fault.At, c.fault.For = time.Second, time.Minute
			f := withFaults(t, c.fault)
			require.Equal(t, [3]int{10, 10, 10}, f.ok(t, 10))
			f.at(time.Second)
			good := f.ok(t, 10)
			sum := good[0] + good[1] + good[2]
			require.GreaterOrEqual(t, sum, c.least)
			require.LessOrEqual(t, sum, c.most)
			f.at(62 * time.Second)
			require.Equal(t, [3]int{10, 10, 10}, f.ok(t, 10))
		})
	}
}

// The same seed does the same damage.
func TestFaultsAreDeterministic(t *testing.T) {
	fault := servotest.Fault{Kind: servotest.Corrupted, Rate: 0.05}
	a, b := withFaults(t, fault), withFaults(t, fault)
	for range 20 {
		require.Equal(t, a.ok(t, 3), b.ok(t, 3))
	}
}

func TestUnpluggedIsAGoneDevice(t *testing.T) {
	f := withFaults(t, servotest.Fault{Kind: servotest.Unplugged, At: 10 * ms, For: time.Second})
	f.at(20 * ms)
	_, err := f.bus.Ping(1)
	require.ErrorIs(t, err, syscall.ENODEV)
	require.ErrorIs(t, f.pipe.Reopen(), syscall.ENODEV)
	f.at(2 * time.Second)
	require.NoError(t, f.pipe.Reopen())
	_, err = f.bus.Ping(1)
	require.NoError(t, err)
}

func TestServoFaults(t *testing.T) {
	get := func(f *faulty, id dynamixel.ID, r dynamixel.Register) int32 {
		v, err := f.bus.Read(id, r)
		require.NoError(t, err)
		return v
	}
	begin := func(fault servotest.Fault) *faulty {
		fault.At = 100 * ms
		f := withFaults(t, fault)
		require.NoError(t, f.bus.Write(2, dynamixel.TorqueEnable, 1))
		f.at(110 * ms)
		return f
	}
	two := []int{2}

	f := begin(servotest.Fault{Kind: servotest.Silent, IDs: two, For: 100 * ms})
	require.Equal(t, [3]int{2, 0, 2}, f.ok(t, 2))
	f.at(time.Second)
	require.Equal(t, [3]int{2, 2, 2}, f.ok(t, 2))

	f = begin(servotest.Fault{Kind: servotest.Overload, IDs: two})
	require.EqualValues(t, dynamixel.HardwareOverload, get(f, 2, dynamixel.HardwareErrorStatus))
	require.Zero(t, get(f, 2, dynamixel.TorqueEnable))
	require.Zero(t, get(f, 1, dynamixel.HardwareErrorStatus))

	f = begin(servotest.Fault{Kind: servotest.Hot, IDs: two, TemperatureC: 81})
	require.EqualValues(t, 81, get(f, 2, dynamixel.PresentTemperature))
	require.EqualValues(t, dynamixel.HardwareHeat, get(f, 2, dynamixel.HardwareErrorStatus))

	f = begin(servotest.Fault{Kind: servotest.Sagging, VoltageV: 8.5})
	require.EqualValues(t, 85, get(f, 3, dynamixel.PresentInputVoltage))
	require.EqualValues(t, dynamixel.HardwareVoltage, get(f, 3, dynamixel.HardwareErrorStatus))
	require.EqualValues(t, 1, get(f, 2, dynamixel.TorqueEnable), "voltage is masked out of Shutdown")

	f = begin(servotest.Fault{Kind: servotest.Stuck, IDs: two})
	at := get(f, 2, dynamixel.PresentPosition)
	require.NoError(t, f.bus.Write(2, dynamixel.GoalPosition, at+300))
	f.at(time.Second)
	require.Equal(t, at, get(f, 2, dynamixel.PresentPosition))

	f = begin(servotest.Fault{Kind: servotest.Slipped, IDs: []int{3}, AngleRad: 0.2})
	require.InDelta(t, 2048+0.5/dynamixel.RadPerPulse, float64(get(f, 3, dynamixel.PresentPosition)), 1)

	f = begin(servotest.Fault{Kind: servotest.Unpowered, IDs: two, For: 100 * ms})
	_, err := f.bus.Ping(2)
	require.ErrorIs(t, err, dynamixel.ErrTimeout)
	f.at(230 * ms)
	_, err = f.bus.Ping(2)
	require.ErrorIs(t, err, dynamixel.ErrTimeout, "it boots")
	f.at(time.Second)
	require.Zero(t, get(f, 2, dynamixel.TorqueEnable))

	f = begin(servotest.Fault{Kind: servotest.Rebooted, IDs: two})
	f.at(time.Second)
	require.Zero(t, get(f, 2, dynamixel.TorqueEnable))

	f = begin(servotest.Fault{Kind: servotest.Model, IDs: two, ModelNumber: 1030})
	info, err := f.bus.Ping(2)
	require.NoError(t, err)
	require.EqualValues(t, 1030, info.Model)

	f = begin(servotest.Fault{Kind: servotest.Renamed, IDs: two, NewID: 7})
	_, err = f.bus.Ping(7)
	require.NoError(t, err)
	_, err = f.bus.Ping(2)
	require.ErrorIs(t, err, dynamixel.ErrTimeout)

	// Two servos with one ID garble each other.
	f = begin(servotest.Fault{Kind: servotest.Renamed, IDs: two, NewID: 3})
	_, err = f.bus.Ping(3)
	require.Error(t, err)
	_, err = f.bus.Read(3, dynamixel.PresentPosition)
	require.Error(t, err)
	_, err = f.bus.Ping(1)
	require.NoError(t, err)
}

func TestOnFaultTells(t *testing.T) {
	f := withFaults(t, servotest.Fault{Kind: servotest.Silent, IDs: []int{1}, At: 30 * ms, For: 20 * ms},
		servotest.Fault{Kind: servotest.Echo, At: 10 * ms})
	var told []string
	f.chain.OnFault(func(now time.Duration, fault servotest.Fault, over bool) {
		what := "begins: "
		if over {
			what = "over: "
		}
		told = append(told, now.String()+" "+what+fault.String())
	})
	f.at(time.Second)
	require.Equal(t, []string{
		"10ms begins: 10ms echo", "30ms begins: 30ms silent ids [1] for 20ms", "50ms over: 30ms silent ids [1] for 20ms",
	}, told)
}

func TestFaultValidate(t *testing.T) {
	f := withFaults(t)
	for want, fault := range map[string]servotest.Fault{
		`kind: "gone" is none of lost, `:          {Kind: "gone"},
		"at, for: -1s and 0s must not":            {Kind: servotest.Echo, At: -time.Second},
		"ids: echo befalls the line":              {Kind: servotest.Echo, IDs: []int{1}},
		"ids: 300 is outside 0 to 252":            {Kind: servotest.Silent, IDs: []int{300}},
		"rate: 0 is outside":                      {Kind: servotest.Lost},
		"delay in s: 0 is outside":                {Kind: servotest.Late},
		"temperature_c: 200 is outside":           {Kind: servotest.Hot, TemperatureC: 200},
		"voltage_v: 31 is outside":                {Kind: servotest.Sagging, VoltageV: 31},
		"angle_rad: 9 is outside":                 {Kind: servotest.Slipped, AngleRad: 9},
		"model_number: 0 is outside":              {Kind: servotest.Model},
		"ids: renamed needs exactly one":          {Kind: servotest.Renamed, NewID: 4},
		"new_id: 253 is outside 0 to 252":         {Kind: servotest.Renamed, IDs: []int{1}, NewID: 253},
		"servotest: fault 0: kind: \"\" is none ": {},
	} {
		require.ErrorContains(t, f.chain.Inject(fault), want)
	}
}
