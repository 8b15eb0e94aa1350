package dynamixel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
)

func TestValues(t *testing.T) {
	for _, tc := range []struct {
		reg  dynamixel.Register
		v    int32
		wire string
		fits bool
	}{
		{dynamixel.TorqueEnable, 1, "01", true},
		{dynamixel.BusWatchdog, -1, "FF", true},
		{dynamixel.BusWatchdog, 128, "", false},
		{dynamixel.ReturnDelayTime, 254, "FE", true},
		{dynamixel.ReturnDelayTime, -1, "", false},
		{dynamixel.ReturnDelayTime, 256, "", false},
		{dynamixel.GoalCurrent, -1193, "57 FB", true},
		{dynamixel.GoalCurrent, 40000, "", false},
		{dynamixel.PositionPGain, 40000, "40 9C", true},
		{dynamixel.PositionPGain, -1, "", false},
		{dynamixel.GoalPosition, -2, "FE FF FF FF", true},
		{dynamixel.GoalPosition, 2048, "00 08 00 00", true},
	} {
		require.Equal(t, tc.fits, tc.reg.Fits(tc.v), "%s %d", tc.reg, tc.v)
		if !tc.fits {
			continue
		}
		b := make([]byte, tc.reg.Size)
		tc.reg.Put(b, tc.v)
		require.Equal(t, unhex(tc.wire), b, "%s", tc.reg)
		require.Equal(t, tc.v, tc.reg.Value(b), "%s", tc.reg)
	}
}

func TestTables(t *testing.T) {
	for _, tc := range []struct {
		model           dynamixel.Model
		has, lacks      dynamixel.Register
		pGain, dGain    int32
		heat, velocity  int32
		entries, number int
	}{
		{dynamixel.XM430W350, dynamixel.PresentCurrent, dynamixel.PresentLoad, 800, 0, 80, 200, 53 + 112, 1020},
		{dynamixel.XL430W250, dynamixel.PresentLoad, dynamixel.PresentCurrent, 640, 4000, 72, 265, 51 + 112, 1060},
	} {
		m := &tc.model
		require.EqualValues(t, tc.number, m.Number)
		require.Equal(t, tc.number, int(entry(t, m, dynamixel.ModelNumber).Default))
		require.Equal(t, tc.pGain, entry(t, m, dynamixel.PositionPGain).Default)
		require.Equal(t, tc.dGain, entry(t, m, dynamixel.PositionDGain).Default)
		require.Equal(t, tc.heat, entry(t, m, dynamixel.TemperatureLimit).Default)
		require.Equal(t, tc.velocity, entry(t, m, dynamixel.VelocityLimit).Default)
		require.EqualValues(t, 52, entry(t, m, dynamixel.Shutdown).Default)
		entry(t, m, tc.has)
		_, ok := m.Entry(tc.lacks)
		require.False(t, ok)
		require.Len(t, m.Table, tc.entries)

		end := uint16(0)
		for _, e := range m.Table {
			require.GreaterOrEqual(t, e.Addr, end, "%s overlaps", e)
			end = e.Addr + e.Size
			require.True(t, e.Fits(e.Default), "%s", e)
			require.LessOrEqual(t, e.Min, e.Default, "%s", e)
			require.GreaterOrEqual(t, e.Max, e.Default, "%s", e)
			require.Equal(t, e.Scale != 0, e.Unit != "", "%s", e)
			require.Equal(t, e.Addr < 64, e.EEPROM(), "%s", e)
		}
		require.EqualValues(t, 662, end)
	}
}

func TestIndirects(t *testing.T) {
	for _, tc := range []struct {
		n          int
		addr, data uint16
	}{{0, 168, 224}, {27, 222, 251}, {28, 578, 634}, {55, 632, 661}} {
		require.Equal(t, tc.addr, dynamixel.IndirectAddress(tc.n).Addr)
		require.Equal(t, tc.data, dynamixel.IndirectData(tc.n).Addr)
	}
}

func TestBaudCodes(t *testing.T) {
	for code, baud := range map[int32]int{0: 9600, 1: 57600, 3: 1_000_000, 6: 4_000_000, 7: 4_500_000, 8: 0, -1: 0} {
		require.Equal(t, baud, dynamixel.BaudFromCode(code))
		got, ok := dynamixel.CodeFromBaud(baud)
		require.Equal(t, baud != 0, ok)
		if ok {
			require.Equal(t, code, got)
		}
	}
}

func TestConfig(t *testing.T) {
	good := dynamixel.Default()
	require.NoError(t, good.Validate())
	require.Equal(t, dynamixel.Wire{Baud: 1_000_000, ReplyGap: 50 * time.Microsecond, Latency: time.Millisecond}, good.Wire())
	for key, spoil := range map[string]func(*dynamixel.Config){
		"baud":      func(c *dynamixel.Config) { c.Baud = 1234 },
		"reply_gap": func(c *dynamixel.Config) { c.ReplyGap = -1 },
		"latency":   func(c *dynamixel.Config) { c.Latency = time.Second },
		"allowance": func(c *dynamixel.Config) { c.Allowance = time.Minute },
		"retries":   func(c *dynamixel.Config) { c.Retries = 11 },
	} {
		bad := good
		spoil(&bad)
		require.ErrorContains(t, bad.Validate(), key+": ")
	}
}

func entry(t *testing.T, m *dynamixel.Model, r dynamixel.Register) dynamixel.Entry {
	t.Helper()
	e, ok := m.Entry(r)
	require.True(t, ok, "%s has no %s", m.Name, r)
	return e
}
