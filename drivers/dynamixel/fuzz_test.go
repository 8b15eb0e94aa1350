package dynamixel_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
)

// FuzzDecode takes any bytes. Whatever comes out of them as a packet must encode
// to the bytes that were consumed.
func FuzzDecode(f *testing.F) {
	for _, tc := range packets {
		f.Add(unhex(tc.wire))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) > 0 {
			wire := bytes.Clone(b)
			p, n, err := dynamixel.Decode(b)
			require.LessOrEqual(t, n, len(b))
			if err == nil {
				again := dynamixel.AppendPacket(nil, &p)
				require.LessOrEqual(t, len(again), dynamixel.MaxPacket+len(again)/3)
				q, _, err := dynamixel.Decode(bytes.Clone(again))
				require.NoError(t, err)
				requirePacket(t, p, q)
				if bytes.Count(wire[:n], []byte{0xFF, 0xFF, 0xFD}) == 1 {
					require.True(t, bytes.HasSuffix(wire[:n], again))
				}
			} else if n == 0 {
				return
			}
			b = b[n:]
		}
	})
}

// FuzzEncode takes any packet: it must survive the wire, and hold no second
// header.
func FuzzEncode(f *testing.F) {
	for _, tc := range packets {
		f.Add(byte(tc.packet.ID), byte(tc.packet.Instruction), tc.packet.Error, tc.packet.Params)
	}
	f.Fuzz(func(t *testing.T, id, inst, code byte, params []byte) {
		p := dynamixel.Packet{ID: dynamixel.ID(id) % (dynamixel.MaxID + 1), Instruction: dynamixel.Instruction(inst), Params: params}
		if p.Instruction == dynamixel.InstStatus {
			p.Error = code
		}
		wire := dynamixel.AppendPacket(nil, &p)
		if len(wire) > dynamixel.MaxPacket {
			return
		}
		require.Equal(t, 1, bytes.Count(wire[:len(wire)-2], []byte{0xFF, 0xFF, 0xFD, 0x00}))
		got, n, err := dynamixel.Decode(wire)
		require.NoError(t, err)
		require.Equal(t, len(wire), n)
		requirePacket(t, p, got)
	})
}

// canned is a Port on which the servos answer every instruction with the same
// bytes.
type canned struct{ answer, left []byte }

func (c *canned) Write(b []byte) (int, error) {
	c.left = c.answer
	return len(b), nil
}

func (c *canned) Read(b []byte) (int, error) {
	n := copy(b, c.left)
	if c.left = c.left[n:]; n == 0 {
		return 0, os.ErrDeadlineExceeded
	}
	return n, nil
}

func (c *canned) SetReadTimeout(time.Duration) error { return nil }

// FuzzGroupRead lets the servos answer with any bytes. A reading is fresh only
// if its data is in them, under its ID; otherwise its data is untouched.
func FuzzGroupRead(f *testing.F) {
	for _, tc := range packets {
		f.Add(unhex(tc.wire))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, fast := range []bool{false, true} {
			b := dynamixel.NewBus(&canned{answer: answer}, dynamixel.Default())
			rs := readings(4, 3, 7, 4)
			for i := range rs {
				copy(rs[i].Data, "none")
			}
			read := b.SyncRead
			if fast {
				read = b.FastSyncRead
			}
			require.NoError(t, read(dynamixel.PresentPosition.Block(), rs))
			for _, r := range rs {
				if r.Err != nil {
					require.Equal(t, "none", string(r.Data))
				} else if fast {
					require.True(t, bytes.Contains(answer, append([]byte{r.Status, byte(r.ID)}, r.Data...)))
				} else {
					require.True(t, bytes.Contains(answer, []byte{0xFF, 0xFF, 0xFD, 0x00, byte(r.ID)}))
				}
			}
		}
	})
}

// readings makes readings of n bytes from ids.
func readings(n int, ids ...dynamixel.ID) []dynamixel.Reading {
	rs := make([]dynamixel.Reading, len(ids))
	for i, id := range ids {
		rs[i] = dynamixel.Reading{ID: id, Data: make([]byte, n)}
	}
	return rs
}
