package doctor

import (
	"encoding/binary"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/camera"
)

// webcamModes answers V4L2's questions as a webcam with two formats, two sizes
// of the first, and one size of the second that is a range.
func webcamModes(request uintptr, raw []byte) error {
	word := func(i int) uint32 { return binary.NativeEndian.Uint32(raw[4*i:]) }
	put := func(i int, v uint32) { binary.NativeEndian.PutUint32(raw[4*i:], v) }
	mjpg := uint32('M') | 'J'<<8 | 'P'<<16 | 'G'<<24
	yuyv := uint32('Y') | 'U'<<8 | 'Y'<<16 | 'V'<<24
	n := word(0)
	switch {
	case request == enumFormat && len(raw) == 64 && word(1) == 1 && n < 2:
		put(11, []uint32{mjpg, yuyv}[n])
	case request == enumSize && len(raw) == 44 && word(1) == mjpg && n < 2:
		put(2, 1)
		put(3, []uint32{640, 1280}[n])
		put(4, []uint32{480, 720}[n])
	case request == enumSize && len(raw) == 44 && word(1) == yuyv && n < 1:
		put(2, 3) // stepwise
	case request == enumInterval && len(raw) == 52 && word(1) == mjpg && word(2) == 640 && word(3) == 480 && n < 2:
		put(4, 1)
		put(5, []uint32{1, 1001}[n])
		put(6, []uint32{30, 15000}[n])
	case request == enumInterval && len(raw) == 52 && word(1) == mjpg && word(2) == 1280 && word(3) == 720 && n < 1:
		put(4, 1)
		put(5, 1)
		put(6, 60)
	default:
		return syscall.EINVAL
	}
	return nil
}

func TestModes(t *testing.T) {
	got, err := modesOf(webcamModes)
	require.NoError(t, err)
	require.Equal(t, []mode{
		{"MJPG", 640, 480, 30},
		{"MJPG", 640, 480, 15000.0 / 1001},
		{"MJPG", 1280, 720, 60},
	}, got)
	require.Equal(t, "MJPG 640 x 480 at 14.99 Hz", got[1].String())
	cfg := camera.DefaultConfig()
	require.True(t, got[0].fits(&cfg))
	require.False(t, got[1].fits(&cfg))
	cfg.Format = "YUYV"
	require.False(t, got[0].fits(&cfg))

	_, err = modesOf(func(uintptr, []byte) error { return syscall.ENODEV })
	require.ErrorIs(t, err, syscall.ENODEV)
}

// device makes the fake's camera a device whose controls answer with err.
func (f *fake) device(err error) {
	stream := f.rig.Camera.Source
	open := f.host.openCamera
	f.rig.Camera.Source = "/dev/video7"
	f.host.openCamera = func(c camera.Config, clock func() time.Duration) (picture, error) {
		if err != nil && c.Controls != (camera.Controls{}) {
			return nil, err
		}
		c.Source = stream
		return open(c, clock)
	}
	f.host.modes = func(string) ([]mode, error) { return []mode{{"MJPG", 64, 48, cameraRate}, {"YUYV", 64, 48, 5}}, nil }
}

func TestDevice(t *testing.T) {
	f := newFake(t)
	f.device(nil)
	r := f.examine(t)
	require.Equal(t, "64 x 48 pixels; 2 modes, fit: MJPG 64 x 48 at 150 Hz", of(t, &r, "camera").Value)
	require.Equal(t, "locked, set and read back", of(t, &r, "camera controls").Value)

	f.rig.Camera.Controls.Lock = false
	r = f.examine(t)
	c := of(t, &r, "camera controls")
	require.Equal(t, Warn, c.Verdict)
	require.Contains(t, c.Fix, "camera.controls.lock: true")
}

// A camera that refuses a control is seen all the same.
func TestDeviceRefusesAControl(t *testing.T) {
	f := newFake(t)
	f.device(errors.New("control gain = 900: invalid argument"))
	r := f.examine(t)
	require.Equal(t, OK, of(t, &r, "camera").Verdict)
	c := of(t, &r, "camera controls")
	require.Equal(t, Fail, c.Verdict)
	require.Contains(t, c.Value, "control gain = 900")
	require.Contains(t, c.Fix, "v4l2-ctl -d /dev/video7 -L")
	require.NotEqual(t, Fail, of(t, &r, "camera rate").Verdict)
}

// A mode that the device does not have is answered with those that it has.
func TestDeviceOfOtherModes(t *testing.T) {
	f := newFake(t)
	f.device(nil)
	f.rig.Camera.Width = 640
	r := f.examine(t)
	c := of(t, &r, "camera")
	require.Equal(t, Fail, c.Verdict)
	require.Contains(t, c.Fix, "MJPG 64 x 48 at 150 Hz; YUYV 64 x 48 at 5 Hz")
}
