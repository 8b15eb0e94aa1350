package dynamixel_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
)

func TestPackets(t *testing.T) {
	for _, tc := range packets {
		t.Run(tc.name, func(t *testing.T) {
			wire := unhex(tc.wire)
			require.Equal(t, wire, dynamixel.AppendPacket(nil, &tc.packet), "encode")

			got, n, err := dynamixel.Decode(bytes.Clone(wire))
			require.NoError(t, err)
			require.Equal(t, len(wire), n)
			requirePacket(t, tc.packet, got)
		})
	}
}

// TestPacketsInAStream feeds all packets at once, byte by byte, with noise
// between them that looks like the begin of a packet.
func TestPacketsInAStream(t *testing.T) {
	noise := [][]byte{
		{0x00},
		{0xFF},
		{0xFF, 0xFF, 0xFD},
		unhex("FF FF FD FD 01 02"), unhex("FF FF FD 00 FD 00"),
		unhex("FF FF FD 00 FF 00 00"), unhex("FF FF FD 00 01 00 00 55"), unhex("FF FF FD 00 01 FF FF 55"),
	}
	var stream []byte
	for i, tc := range packets {
		stream = append(stream, noise[i%len(noise)]...)
		stream = append(stream, unhex(tc.wire)...)
	}
	var have []byte
	next := 0
	for _, b := range stream {
		have = append(have, b)
		p, n, err := dynamixel.Decode(have)
		if err != nil {
			require.ErrorIs(t, err, dynamixel.ErrIncomplete)
			have = have[n:]
			continue
		}
		requirePacket(t, packets[next].packet, p)
		next++
		have = have[n:]
	}
	require.Equal(t, len(packets), next)
	require.Empty(t, have)
}

// TestDamage changes each bit of each packet in turn: no packet may come out of
// it, but the one that follows must.
func TestDamage(t *testing.T) {
	follower := unhex(packets[0].wire)
	for _, tc := range packets {
		wire := unhex(tc.wire)
		for bit := range 8 * len(wire) {
			b := append(bytes.Clone(wire), follower...)
			b[bit/8] ^= 1 << (bit % 8)
			found := 0
			for len(b) > 0 {
				p, n, err := dynamixel.Decode(b)
				if err == nil {
					requirePacket(t, packets[0].packet, p)
					found++
				}
				if n == 0 {
					// A length that is too long would wait for more.
					n = 1
				}
				b = b[n:]
			}
			require.Equal(t, 1, found, "%s, bit %d", tc.name, bit)
		}
	}
}

func TestMisprintsAreRefused(t *testing.T) {
	for _, wire := range []string{
		"FF FF FD 00 01 08 00 20 02 43 54 52 4C 92 F5",
		"FF FF FD 00 FE 12 00 9A 03 84 00 04 00 07 7C 00 02 00 04 92 00 01 00 20 F2",
	} {
		_, n, err := dynamixel.Decode(unhex(wire))
		require.ErrorIs(t, err, dynamixel.ErrChecksum)
		require.Equal(t, 4, n, "only the header is done with")
	}
}

// TestHeaderLookAlikes are bytes that hold no packet and never will.
func TestHeaderLookAlikes(t *testing.T) {
	for _, tc := range []struct {
		name string
		wire string
		left int // bytes that may still begin a packet
	}{
		{"stuffed", "FF FF FD FD 00 01 03 00 01 19 4E", 0},
		{"reserved byte not 0", "FF FF FD 01 01 03 00 01 19 4E", 0},
		{"ID FD", "FF FF FD 00 FD 03 00 01 19 4E", 0},
		{"ID FF", "FF FF FD 00 FF 03 00 01 19 4E", 0},
		{"length 2", "FF FF FD 00 01 02 00 01 19 4E", 0},
		{"status without error byte", "FF FF FD 00 01 03 00 55 19 4E", 0},
		{"too long", "FF FF FD 00 01 FF FF 01 19 4E", 0},
		{"ends in FF", "01 02 FF", 1},
		{"ends in FF FF FF", "FF FF FF", 2},
		{"ends in a header", "01 FF FF FD 00", 4},
	} {
		b := unhex(tc.wire)
		_, n, err := dynamixel.Decode(b)
		require.ErrorIs(t, err, dynamixel.ErrIncomplete, tc.name)
		require.Equal(t, tc.left, len(b)-n, tc.name)
	}
}

func TestCRC(t *testing.T) {
	require.Equal(t, uint16(0xFEE8), dynamixel.CRC(0, []byte("123456789")))
	var sum, all uint16
	for i := range 256 {
		c := dynamixel.CRC(0, []byte{byte(i)})
		sum += c
		all ^= c
		switch i {
		case 1:
			require.Equal(t, uint16(0x8005), c)
		case 3:
			require.Equal(t, uint16(0x000A), c)
		case 128:
			require.Equal(t, uint16(0x8303), c)
		case 255:
			require.Equal(t, uint16(0x0202), c)
		}
	}
	require.Equal(t, uint16(0xFF80), sum)
	require.Zero(t, all)
}

// TestFastChecksums checks that each servo's checksum in a fast status covers
// all before it (e-manual, fast sync read and fast bulk read).
func TestFastChecksums(t *testing.T) {
	for _, tc := range []struct {
		wire string
		ends []int // where each checksum starts
	}{
		{"FF FF FD 00 FE 19 00 55 00 03 A6 00 00 00 84 08 00 07 1F 08 00 00 16 CA 00 04 FF 03 00 00 D1 9E", []int{14, 22, 30}},
		{"FF FF FD 00 FE 14 00 55 00 03 A6 00 00 00 67 A4 00 07 A5 01 24 74 00 04 1F D9 C1", []int{14, 20, 25}},
	} {
		b := unhex(tc.wire)
		for _, end := range tc.ends {
			require.Equal(t, binary.LittleEndian.Uint16(b[end:]), dynamixel.CRC(0, b[:end]))
		}
	}
}

func requirePacket(t *testing.T, want, got dynamixel.Packet) {
	t.Helper()
	require.Equal(t, want.ID, got.ID)
	require.Equal(t, want.Instruction, got.Instruction)
	require.Equal(t, want.Error, got.Error)
	require.Equal(t, string(want.Params), string(got.Params))
}
