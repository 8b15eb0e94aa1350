package mujoco

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pendulum has one hinge, one free ball that lies on a plane, a site and a
// camera.
const pendulum = `<mujoco>
  <option timestep="0.002"/>
  <visual><global offwidth="64" offheight="48"/><quality offsamples="0" shadowsize="0"/></visual>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1"/>
    <camera name="eye" pos="0 -1 .5" xyaxes="1 0 0 0 0 1"/>
    <body name="rod" pos="0 0 1">
      <joint name="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 .4 0 0" size=".02" mass="0.3" contype="0" conaffinity="0"/>
      <site name="tip" pos=".4 0 0"/>
    </body>
    <body name="ball" pos="1 0 .05">
      <freejoint name="ball"/>
      <geom name="ball" type="sphere" size=".05" mass="0.2"/>
    </body>
  </worldbody>
</mujoco>`

func newPendulum(t *testing.T) (*Model, *Data) {
	t.Helper()
	m, err := Load([]byte(pendulum))
	require.NoError(t, err)
	t.Cleanup(m.Close)
	d, err := NewData(m)
	require.NoError(t, err)
	t.Cleanup(d.Close)
	return m, d
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ name, xml, want string }{
		{"not xml", "hello", "mujoco: model: "},
		{"unknown element", "<mujoco><armchair/></mujoco>", "armchair"},
		{"joint in the world", `<mujoco><worldbody><joint name="j"/></worldbody></mujoco>`, "mujoco: model: "},
		{"massless moving body", `<mujoco><worldbody><body><joint/></body></worldbody></mujoco>`, "mass and inertia"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load([]byte(c.xml))
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestModelNames(t *testing.T) {
	m, _ := newPendulum(t)
	rod, err := m.ID(Body, "rod")
	require.NoError(t, err)
	require.Equal(t, "rod", m.Name(Body, rod))
	_, err = m.ID(Site, "elbow")
	require.EqualError(t, err, `mujoco: the model has no site named "elbow"`)
	ball, err := m.Joint("ball")
	require.NoError(t, err)
	require.Equal(t, JointAddress{QPos: 1, DOF: 1}, ball)
	_, err = m.Joint("knee")
	require.EqualError(t, err, `mujoco: the model has no joint named "knee"`)
	require.Equal(t, 8, m.NQ())
	require.Equal(t, 7, m.NV())
	require.Equal(t, 2*time.Millisecond, m.Timestep())
}

func TestPoseJacobianAndBias(t *testing.T) {
	m, d := newPendulum(t)
	const angle = 0.3 // about +y: the tip goes down
	d.QPos()[0] = angle
	require.NoError(t, d.Forward())

	tip, err := m.ID(Site, "tip")
	require.NoError(t, err)
	pos, mat := d.SitePose(tip)
	require.InDeltaSlice(t, []float64{.4 * math.Cos(angle), 0, 1 - .4*math.Sin(angle)}, pos[:], 1e-12)
	require.InDelta(t, math.Sin(angle), mat[2], 1e-12)

	jacp, jacr := make([]float64, 3*m.NV()), make([]float64, 3*m.NV())
	require.NoError(t, d.JacSite(tip, jacp, jacr))
	require.InDelta(t, -.4*math.Sin(angle), jacp[0], 1e-12)
	require.InDelta(t, -.4*math.Cos(angle), jacp[2*m.NV()], 1e-12)
	require.InDelta(t, 1, jacr[m.NV()], 1e-12)
	require.Error(t, d.JacSite(tip, jacp[1:], jacr))

	require.InDelta(t, -0.3*9.81*.2*math.Cos(angle), d.QfrcBias()[0], 1e-12)

	rod, err := m.ID(Body, "rod")
	require.NoError(t, err)
	_, quat := d.BodyPose(rod)
	require.InDeltaSlice(t, []float64{math.Cos(angle / 2), 0, math.Sin(angle / 2), 0}, quat[:], 1e-12)
}

func TestContactForceIsWeight(t *testing.T) {
	m, d := newPendulum(t)
	require.NoError(t, d.Step(1000))
	require.InDelta(t, 2, d.Time(), 1e-9)
	contacts := d.Contacts(nil)
	require.Len(t, contacts, 1)
	require.Equal(t, "floor", m.Name(Geom, contacts[0].Geom[0]))
	require.Equal(t, "ball", m.Name(Body, m.GeomBody[contacts[0].Geom[1]]))
	require.InDelta(t, 0.2*9.81, contacts[0].Force, 1e-3)
	require.InDelta(t, 1, contacts[0].Normal[2], 1e-9)
	require.Zero(t, testing.AllocsPerRun(10, func() { contacts = d.Contacts(contacts) }))
}

func TestStateIsExact(t *testing.T) {
	m, d := newPendulum(t)
	d.QfrcApplied()[0] = 0.1
	require.NoError(t, d.Step(100))
	state := make([]float64, m.StateSize())
	require.NoError(t, d.State(state))
	other, err := NewData(m)
	require.NoError(t, err)
	defer other.Close()
	third, err := NewData(m)
	require.NoError(t, err)
	defer third.Close()
	require.NoError(t, other.SetState(state))
	require.NoError(t, third.CopyFrom(d))
	for _, x := range []*Data{d, other, third} {
		require.NoError(t, x.Step(500))
	}
	require.Equal(t, d.QPos(), other.QPos())
	require.Equal(t, d.QPos(), third.QPos())
	require.ErrorContains(t, d.SetState(state[1:]), "want")

	require.Zero(t, testing.AllocsPerRun(10, func() {
		_ = d.Step(1)
		_ = d.State(state)
		_ = d.SetState(state)
	}))
}

func TestStepTellsWarnings(t *testing.T) {
	_, d := newPendulum(t)
	d.QVel()[0] = 1e300
	err := d.Step(1)
	require.ErrorIs(t, err, ErrUnstable)
	require.ErrorContains(t, err, "QVEL")
	require.NoError(t, d.Reset())
	require.NoError(t, d.Step(1))

	d.QfrcApplied()[0] = math.NaN()
	require.ErrorIs(t, d.Step(10), ErrUnstable)
}

func TestMuJoCoErrorIsAnError(t *testing.T) {
	// a stack that is enough to load the model, but not to step it with all
	// its contacts
	var balls strings.Builder
	for i := range 40 {
		fmt.Fprintf(&balls, `<body pos="%d 0 .049"><freejoint/><geom type="box" size=".05 .05 .05"/></body>`, i)
	}
	m, err := Load([]byte(`<mujoco><size memory="256K"/><worldbody><geom type="plane" size="9 9 1"/>` + balls.String() + `</worldbody></mujoco>`))
	require.NoError(t, err)
	defer m.Close()
	d, err := NewData(m)
	require.NoError(t, err)
	defer d.Close()
	err = d.Step(1)
	require.ErrorContains(t, err, "mujoco: step: ")
	require.NotErrorIs(t, err, ErrUnstable)
	require.Equal(t, err, d.Step(1), "the data refuses further work")
	require.Equal(t, err, d.Reset())

	_, d = newPendulum(t)
	require.NoError(t, d.Step(1), "other data go on")
	_, err = os.Stat("MUJOCO_LOG.TXT")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestClosedDataIsAnError(t *testing.T) {
	m, err := Load([]byte(pendulum))
	require.NoError(t, err)
	d, err := NewData(m)
	require.NoError(t, err)
	d.Close()
	d.Close()
	require.ErrorContains(t, d.Step(1), "closed")
	m.Close()
	m.Close()
}

func TestLibraryPaths(t *testing.T) {
	file := "libmujoco.so." + Version()
	require.Equal(t, []string{"/opt/mj/lib/" + file, "/opt/mj/lib/libmujoco.so", "/opt/mj/" + file, "/opt/mj/libmujoco.so"},
		libraryPaths("/opt/mj", "/src/sim/mujoco/library.go", "/usr/bin/twinrig"))
	require.Equal(t, []string{
		"/src/.deps/mujoco/lib/" + file, "/src/.deps/mujoco/lib/libmujoco.so",
		"/usr/bin/" + file, "/usr/bin/libmujoco.so", "/usr/bin/lib/" + file, "/usr/bin/lib/libmujoco.so",
	}, libraryPaths("", "/src/sim/mujoco/library.go", "/usr/bin/twinrig"))
	require.Empty(t, libraryPaths("", "twinrig/sim/mujoco/library.go", ""), "built with -trimpath")
}

func TestMissingLibrary(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "libmujoco.so")
	require.NoError(t, os.WriteFile(broken, []byte("not a library"), 0o600))
	for _, c := range []struct {
		name  string
		paths []string
		want  string
	}{
		{"absent", []string{"/nowhere/libmujoco.so"}, "/nowhere/libmujoco.so"},
		{"not a library", []string{"/nowhere/libmujoco.so", broken}, broken},
		{"another library", []string{"/usr/lib/x86_64-linux-gnu/libm.so.6", "/usr/lib/aarch64-linux-gnu/libm.so.6"}, "no symbol"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := load(c.paths)
			require.ErrorIs(t, err, ErrNoLibrary)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "make setup")
		})
	}
}

func BenchmarkStep(b *testing.B) {
	m, err := Load([]byte(pendulum))
	require.NoError(b, err)
	defer m.Close()
	d, err := NewData(m)
	require.NoError(b, err)
	defer d.Close()
	for b.Loop() {
		if err := d.Step(1); err != nil {
			b.Fatal(err)
		}
	}
}
