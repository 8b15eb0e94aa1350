package camera

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeDevice has the controls of its map. Like a UVC camera it refuses a value
// while its automatic is on.
type fakeDevice struct {
	values map[uint32]int32
	stuck  uint32 // keeps its value
	order  []uint32
}

func c922() *fakeDevice {
	return &fakeDevice{values: map[uint32]int32{
		cidAutoExposure: 3, cidExposure: 250, cidExposureDynamicRate: 1,
		cidAutoFocus: 1, cidFocus: 30, cidAutoWhiteBalance: 1, cidWhiteBalance: 4000,
		cidGain: 0, cidPowerLineFrequency: 2,
	}}
}

func (d *fakeDevice) set(id uint32, value int32) error {
	if _, ok := d.values[id]; !ok {
		return syscall.EINVAL
	}
	inactive := id == cidExposure && d.values[cidAutoExposure] != exposureManual ||
		id == cidFocus && d.values[cidAutoFocus] != 0 ||
		id == cidWhiteBalance && d.values[cidAutoWhiteBalance] != 0
	if inactive {
		return syscall.EACCES
	}
	d.order = append(d.order, id)
	if id != d.stuck {
		d.values[id] = value
	}
	return nil
}

func (d *fakeDevice) get(id uint32) (int32, error) {
	v, ok := d.values[id]
	if !ok {
		return 0, syscall.EINVAL
	}
	return v, nil
}

func ptr[T any](v T) *T { return &v }

func TestControlsLockAndSet(t *testing.T) {
	all := Controls{
		Lock: true, Exposure: ptr(12500 * time.Microsecond), WhiteBalance: ptr(4600),
		Focus: ptr(5), Gain: ptr(64), PowerLine: ptr(50),
	}
	for _, tc := range []struct {
		name string
		c    Controls
		want map[uint32]int32 // what differs from the camera as it was
	}{
		{"nothing", Controls{}, map[uint32]int32{}},
		{"lock alone", Controls{Lock: true}, map[uint32]int32{
			cidAutoExposure: 1, cidExposureDynamicRate: 0, cidAutoFocus: 0, cidAutoWhiteBalance: 0,
		}},
		{"one value ends its automatic", Controls{Focus: ptr(0)}, map[uint32]int32{
			cidAutoFocus: 0, cidFocus: 0,
		}},
		{"all", all, map[uint32]int32{
			cidAutoExposure: 1, cidExposureDynamicRate: 0, cidAutoFocus: 0, cidAutoWhiteBalance: 0,
			cidExposure: 125, cidFocus: 5, cidWhiteBalance: 4600, cidGain: 64, cidPowerLineFrequency: 1,
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dev, want := c922(), c922().values
			for id, v := range tc.want {
				want[id] = v
			}
			require.NoError(t, applyControls(dev, tc.c.settings()))
			require.Equal(t, want, dev.values)
			require.Len(t, dev.order, len(tc.want))
		})
	}
}

func TestControlsRefused(t *testing.T) {
	lock := Controls{Lock: true}
	dev := c922()
	delete(dev.values, cidAutoFocus)
	require.NoError(t, applyControls(dev, lock.settings()), "a fixed lens has no focus to lock")

	focus := Controls{Focus: ptr(5)}
	require.EqualError(t, applyControls(dev, focus.settings()),
		"control focus_automatic_continuous = 0: invalid argument (v4l2-ctl -L lists what the camera takes)")

	dev = c922()
	dev.stuck = cidGain
	gain := Controls{Gain: ptr(9)}
	require.EqualError(t, applyControls(dev, gain.settings()),
		"control gain: is 0 after it was set to 9 (v4l2-ctl -L lists what the camera takes)")
}
