package calib

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
)

func TestNominalIsValidAndRoundTrips(t *testing.T) {
	r := Nominal()
	// A distinct value per joint, so that a swap shows.
	r.Arm.StiffnessNmPerRad = PerJoint{1.5, 2.5, 3.5, 4.5, 5.5, 6.5}
	r.Arm.FrictionNm = PerJoint{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}
	r.Arm.DampingNmSPerRad = PerJoint{0.01, 0.02, 0.03, 0.04, 0.05, 0.06}
	r.Camera.Distortion = [5]float64{0.1, -0.2, 0.003, -0.004, 0.05}
	r.Residuals = map[string]float64{"intrinsics_rms_px": 0.07, "joints_rms_rad": 0.001}

	path := filepath.Join(t.TempDir(), "rig.yaml")
	require.NoError(t, r.Save(path))
	got, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, r, got)

	a, err := r.Digest()
	require.NoError(t, err)
	got.Arm.Motors[4].ZeroTick++
	b, err := got.Digest()
	require.NoError(t, err)
	require.NotEqual(t, a, b)
}

func TestSaveNeverReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rig.yaml")
	require.NoError(t, Nominal().Save(path))
	before, err := os.ReadFile(path)
	require.NoError(t, err)

	r := Nominal()
	r.Source = "another"
	require.ErrorIs(t, r.Save(path), fs.ErrExist)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file stays")
}

// The e-manual's default gains, at 12 V: what an XM430 and an XL430 hold with.
func TestServoStiffness(t *testing.T) {
	require.InDelta(t, 18.88, ServoStiffness(800, 4.1), 0.01)
	require.InDelta(t, 5.52, ServoStiffness(640, 1.5), 0.01)
	s := Nominal().Arm.StiffnessNmPerRad
	require.InDelta(t, 2*s[twinrig.Waist], s[twinrig.Shoulder], 1e-12)
	require.InDelta(t, 2*s[twinrig.Waist], s[twinrig.Elbow], 1e-12)
}

// SimplerEnv's flat-table camera looks at (0.332, 0.0235) on the table.
func TestNominalCameraLooksAtTheTable(t *testing.T) {
	xBC := Nominal().Camera.BaseFromCamera.Pose()
	axis := xBC.R.Rotate(twinrig.Vec3{0, 0, 1})
	hit := xBC.P.Add(axis.Scale(-xBC.P[2] / axis[2]))
	require.InDelta(t, 0.332, hit[0], 1e-3)
	require.InDelta(t, 0.0235, hit[1], 1e-3)
	require.InDelta(t, 0, xBC.R.Rotate(twinrig.Vec3{1, 0, 0})[2], 1e-3, "the horizon is level")
	x := twinrig.Pose{R: twinrig.QuatFromRPY(0.1, 0.2, 0.3), P: twinrig.Vec3{4, 5, 6}}
	require.Equal(t, x, Pose{PositionM: [3]float64(x.P), RotationWXYZ: [4]float64(x.R)}.Pose())
	require.Equal(t, x, PoseOf(x).Pose())
}

func TestValidateNamesKeyAndLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Record)
		want  string
	}{
		{"version", func(r *Record) { r.Version = 2 }, "version: 2 is not 1"},
		{"date", func(r *Record) { r.Date = "" }, "date: is empty"},
		{"residual", func(r *Record) { r.Residuals = map[string]float64{"a_px": -1} }, "residuals.a_px: -1"},
		{"id", func(r *Record) { r.Arm.Motors[3].ID = 253 }, "arm.motors[3].id: 253 is outside 0 to 252"},
		{"id twice", func(r *Record) { r.Arm.Motors[3].ID = 1 }, "arm.motors[3].id: 1 is there twice"},
		{"axis", func(r *Record) { r.Arm.Motors[2].Axis = "hip" }, `arm.motors[2].axis: "hip" is none of`},
		{"model", func(r *Record) { r.Arm.Motors[0].Model = "MX-28" }, `arm.motors[0].model: "MX-28"`},
		{"zero", func(r *Record) { r.Arm.Motors[0].ZeroTick = 5000 }, "arm.motors[0].zero_tick: 5000 is outside 0 to 4095"},
		{"zero NaN", func(r *Record) { r.Arm.Motors[0].ZeroTick = math.NaN() }, "arm.motors[0].zero_tick: NaN"},
		{"constant", func(r *Record) { r.Arm.Motors[6].TorqueConstantNmPerA = 9 }, "arm.motors[6].torque_constant_nm_per_a: 9 is outside 0.5 to 4"},
		{"no current sense", func(r *Record) { r.Arm.Motors[7].TorqueConstantNmPerA = 1 }, "arm.motors[7].torque_constant_nm_per_a: 1 is outside 0 to 0"},
		{"three motors", func(r *Record) { r.Arm.Motors[0].Axis = "elbow" }, "arm.motors: waist has 0, allowed are 1 to 2"},
		{"two grippers", func(r *Record) { r.Arm.Motors[2].Axis = "gripper" }, "arm.motors: gripper has 2, allowed are 1 to 1"},
		{"stiffness", func(r *Record) { r.Arm.StiffnessNmPerRad[2] = -1 }, "arm.stiffness_nm_per_rad.elbow: -1 is outside 0 to 500"},
		{"friction", func(r *Record) { r.Arm.FrictionNm[5] = 6 }, "arm.friction_nm.wrist_rotate: 6 is outside 0 to 5"},
		{"damping", func(r *Record) { r.Arm.DampingNmSPerRad[0] = 6 }, "arm.damping_nm_s_per_rad.waist: 6"},
		{"horn", func(r *Record) { r.Arm.Gripper.HornM = 0.2 }, "arm.gripper.horn_m: 0.2 is outside 0.005 to 0.05"},
		{"rod", func(r *Record) { r.Arm.Gripper.ArmM = 0.02 }, "arm.gripper.arm_m: 0.02 is outside"},
		{"size", func(r *Record) { r.Camera.WidthPx = 0 }, "camera.width_px: 0 is outside 16 to 8192"},
		{"focal", func(r *Record) { r.Camera.FyPx = 1 }, "camera.fy_px: 1 is outside"},
		{"centre", func(r *Record) { r.Camera.CxPx = 641 }, "camera.cx_px: 641 is outside 0 to 640"},
		{"distortion", func(r *Record) { r.Camera.Distortion[3] = 11 }, "p2: 11 is outside -10 to 10"},
		{"place", func(r *Record) { r.Camera.BaseFromCamera.PositionM[2] = 360 }, "camera.base_from_camera.position_m[2]: 360"},
		{"rotation", func(r *Record) { r.Camera.BaseFromCamera.RotationWXYZ = [4]float64{} }, "camera.base_from_camera.rotation_wxyz: its length: 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Nominal()
			require.NoError(t, r.Validate())
			c.spoil(r)
			require.ErrorContains(t, r.Validate(), c.want)
			require.Error(t, r.Save(filepath.Join(t.TempDir(), "x.yaml")))
		})
	}
}

func TestLoadIsStrict(t *testing.T) {
	good, err := Nominal().encode()
	require.NoError(t, err)
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown key", "width_px:", "widht_px:", "widht_px"},
		{"missing joint", "{waist: 0.1, shoulder", "{shoulder", "waist is missing"},
		{"foreign joint", "friction_nm: {", "friction_nm: {hip: 1, ", "none of the joints"},
		{"second document", "version: 1", "version: 1\n---\nversion: 1", "more than one yaml document"},
		{"limit", "height_px: 480", "height_px: 4", "camera.height_px: 4 is outside 16 to 8192"},
		{"empty", string(good), "", "EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(string(good), c.old, c.new, 1)
			require.NotEqual(t, string(good), text)
			path := filepath.Join(t.TempDir(), "spoilt.yaml")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			_, err := Load(path)
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err = Load(filepath.Join(t.TempDir(), "absent.yaml"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
