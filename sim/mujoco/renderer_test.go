package mujoco

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// halves is a red floor under a black sky, seen level: the horizon is in the
// middle of the picture.
const halves = `<mujoco>
  <visual>
    <global offwidth="64" offheight="48"/><quality offsamples="0" shadowsize="0"/>
    <headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/>
  </visual>
  <worldbody>
    <geom type="plane" size="50 50 .1" rgba="1 0 0 1"/>
    <camera name="eye" pos="0 -1 .5" xyaxes="1 0 0 0 0 1"/>
  </worldbody>
</mujoco>`

func TestRenderTopRowFirst(t *testing.T) {
	m, err := Load([]byte(halves))
	require.NoError(t, err)
	defer m.Close()
	d, err := NewData(m)
	require.NoError(t, err)
	defer d.Close()
	require.NoError(t, d.Kinematics())
	r, err := NewRenderer(m, false)
	require.NoError(t, err)
	defer r.Close()

	rgb := make([]byte, 3*64*48)
	require.NoError(t, r.Render(d, 0, 64, 48, rgb))
	pixel := func(x, y int) []byte { return rgb[3*(64*y+x):][:3] }
	require.Equal(t, []byte{0, 0, 0}, pixel(32, 10))
	require.Greater(t, pixel(32, 44)[0], byte(200))
	require.Zero(t, pixel(32, 44)[1])

	// the same again, and by a second renderer beside the first
	again := make([]byte, len(rgb))
	require.NoError(t, r.Render(d, 0, 64, 48, again))
	require.Equal(t, rgb, again)
	second, err := NewRenderer(m, false)
	require.NoError(t, err)
	require.NoError(t, second.Render(d, 0, 64, 48, again))
	require.Equal(t, rgb, again)
	second.Close()
	require.NoError(t, r.Render(d, 0, 64, 48, again), "closing one leaves the other")

	require.ErrorContains(t, r.Render(d, 1, 64, 48, rgb), "no camera 1")
	require.ErrorContains(t, r.Render(d, 0, 64, 47, rgb), "bytes for")
	require.ErrorContains(t, r.Render(d, 0, 128, 24, rgb), "off-screen buffer")
	r.Close()
	require.ErrorContains(t, r.Render(d, 0, 64, 48, rgb), "closed")
}

// TestNoRenderer runs itself where no EGL driver can be found: that must be an
// error that tells what to install.
func TestNoRenderer(t *testing.T) {
	const here = "TWINRIG_TEST_WITHOUT_EGL"
	if os.Getenv(here) != "" {
		m, err := Load([]byte(halves))
		require.NoError(t, err)
		defer m.Close()
		_, err = NewRenderer(m, false)
		require.ErrorContains(t, err, "mujoco: renderer: ")
		require.ErrorContains(t, err, "install Debian's libegl1 and libegl-mesa0")
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestNoRenderer$", "-test.v")
	// where libglvnd looks for drivers
	cmd.Env = append(os.Environ(), here+"=1", "__EGL_VENDOR_LIBRARY_FILENAMES=/nowhere", "__EGL_VENDOR_LIBRARY_DIRS=/nowhere")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: TestNoRenderer")
}
