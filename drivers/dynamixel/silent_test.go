package dynamixel_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// silentCost is the most that one silent servo may cost a cycle.
const silentCost = 3 * time.Millisecond

// reads are the two ways to read all servos at once.
var reads = []struct {
	name string
	read func(*dynamixel.Bus, dynamixel.Block, []dynamixel.Reading) error
}{
	{"sync read", (*dynamixel.Bus).SyncRead},
	{"fast sync read", (*dynamixel.Bus).FastSyncRead},
}

// TestSilentServo: wherever it is in the chain, a servo that stays silent costs
// a cycle at most 3 ms of virtual time, in the first cycle and in all that
// follow; it is missing, and the others are read in the next cycle at the
// latest.
func TestSilentServo(t *testing.T) {
	for _, how := range reads {
		for _, laterAnswer := range []bool{false, true} {
			for silent := dynamixel.ID(1); silent <= 9; silent++ {
				t.Run(fmt.Sprintf("%s, id %d, others answer %v", how.name, silent, laterAnswer), func(t *testing.T) {
					line := servotest.Default()
					line.LaterAnswer = laterAnswer
					b := newBench(line, dynamixel.Default())
					rs := readings(int(state.Len), b.ids...)
					usual := b.cycle(t, how.read, rs)
					for _, r := range rs {
						require.NoError(t, r.Err)
					}
					b.silence(silent, true)
					first, worst := time.Duration(0), time.Duration(0)
					for cycle := range 5 {
						for i := range rs {
							copy(rs[i].Data, "unread....")
						}
						cost := b.cycle(t, how.read, rs) - usual
						require.LessOrEqual(t, cost, silentCost, "cycle %d", cycle)
						if cycle == 0 {
							first = cost
						} else {
							worst = max(worst, cost)
						}
						for _, r := range rs {
							if r.ID == silent || r.Err != nil && cycle == 0 {
								require.ErrorIs(t, r.Err, dynamixel.ErrTimeout)
								require.Equal(t, "unread....", string(r.Data))
								continue
							}
							require.NoError(t, r.Err, "id %d, cycle %d", r.ID, cycle)
						}
					}
					t.Logf("virtual: %s, id %d silent: the first cycle takes %v more, a later one at most %v", how.name, silent, first, worst)
					b.silence(silent, false)
					b.cycle(t, how.read, rs)
					for _, r := range rs {
						require.NoError(t, r.Err, "id %d is back", r.ID)
					}
					require.Equal(t, usual, b.cycle(t, how.read, rs))
				})
			}
		}
	}
}

// TestSilentServos: two of them are both left behind the others in time, and a
// bus without any servo takes no longer than one with a silent one.
func TestSilentServos(t *testing.T) {
	for _, how := range reads {
		b := newBench(servotest.Default(), dynamixel.Default())
		rs := readings(int(state.Len), b.ids...)
		usual := b.cycle(t, how.read, rs)
		b.silence(2, true)
		b.silence(6, true)
		for cycle := range 5 {
			require.LessOrEqual(t, b.cycle(t, how.read, rs)-usual, silentCost)
			for _, r := range rs {
				if r.ID != 2 && r.ID != 6 && cycle > 1 {
					require.NoError(t, r.Err, "%s, id %d, cycle %d", how.name, r.ID, cycle)
				}
			}
		}
		for id := range dynamixel.ID(10) {
			b.silence(id, true)
		}
		for range 100 {
			require.LessOrEqual(t, b.cycle(t, how.read, rs)-usual, silentCost)
			for _, r := range rs {
				require.ErrorIs(t, r.Err, dynamixel.ErrTimeout)
			}
		}
		for id := range dynamixel.ID(10) {
			b.silence(id, false)
		}
		b.cycle(t, how.read, rs)
		for _, r := range rs {
			require.NoError(t, r.Err, "%s, id %d", how.name, r.ID)
		}
	}
}

// cycle is one reading; it returns the virtual time that it took.
func (b *bench) cycle(t *testing.T, read func(*dynamixel.Bus, dynamixel.Block, []dynamixel.Reading) error, rs []dynamixel.Reading) time.Duration {
	t.Helper()
	before := b.clock.Now()
	require.NoError(t, read(b.bus, state, rs))
	took := b.clock.Now() - before
	b.wait(2 * time.Millisecond)
	return took
}

// silence turns a servo's answers off, or on again.
func (b *bench) silence(id dynamixel.ID, yes bool) {
	b.chain.Do(func(servos []*servotest.Servo) {
		for _, s := range servos {
			if s.ID() == id {
				s.SetSilent(yes)
			}
		}
	})
}
