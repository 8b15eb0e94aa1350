package twinrig_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// distinct fills every number with another value.
func distinct(seed uint64) twinrig.Report {
	rng := rand.New(rand.NewPCG(seed, 1))
	joints := func() (j twinrig.Joints) {
		for i := range j {
			j[i] = rng.NormFloat64()
		}
		return j
	}
	r := twinrig.Report{
		Tick: rng.Uint64(), Now: time.Duration(rng.Int64()), Late: -time.Duration(rng.IntN(1e6)),
		Misses: rng.Uint64N(1e6), Step: rng.IntN(1e6),
		State: twinrig.State{
			Stamp: time.Duration(rng.Int64()), Measured: joints(), Velocity: joints(), Effort: joints(),
			Load: [2]float64{rng.NormFloat64(), rng.NormFloat64()}, Grip: twinrig.Grip(rng.Float64()),
		},
		Asked: twinrig.Goal{Joints: joints(), Velocity: joints(), Grip: twinrig.Grip(rng.Float64())},
		Guard: twinrig.Intervention(rng.IntN(1 << 7)),
	}
	r.Sent = twinrig.Command{
		Goal:   twinrig.Goal{Joints: joints(), Velocity: joints(), Grip: twinrig.Grip(rng.Float64())},
		Effort: joints(),
	}
	for i := range r.State.Age {
		r.State.Age[i] = time.Duration(rng.Int64())
		r.State.HardwareError[i] = uint8(rng.IntN(256))
	}
	return r
}

func TestReportJSON(t *testing.T) {
	for seed := range uint64(50) {
		in := distinct(seed)
		data, err := json.Marshal(in)
		require.NoError(t, err)
		var out twinrig.Report
		require.NoError(t, json.Unmarshal(data, &out))
		require.Equal(t, in, out)
	}
}

func TestReportJSONKeys(t *testing.T) {
	r := twinrig.Report{
		Tick: 1, Now: 2, Late: -3, Misses: 4, Step: 5,
		Guard: twinrig.ClippedVelocity | twinrig.RefusedJump,
	}
	r.State.Effort[twinrig.WristRotate] = math.NaN()
	r.State.Measured = twinrig.Joints{0.1, -0.2, 1e-7, 1e21, math.Copysign(0, -1), math.Inf(1)}
	r.State.HardwareError[twinrig.GripAxis] = 32
	r.State.Grip = 0.5
	const zeros = `[0,0,0,0,0,0]`
	const goal = `"joints_rad":` + zeros + `,"velocity_rad_s":` + zeros + `,"grip_ratio":0`
	require.Equal(t, `{"tick":1,"now_ns":2,"state":{"stamp_ns":0,`+
		`"measured_rad":[0.1,-0.2,1e-07,1e+21,-0,null],"velocity_rad_s":`+zeros+`,`+
		`"effort_nm":[0,0,0,0,0,null],"load_ratio":[0,0],"grip_ratio":0.5,`+
		`"age_ns":[0,0,0,0,0,0,0],"hardware_error":[0,0,0,0,0,0,32]},`+
		`"asked":{`+goal+`},"sent":{`+goal+`,"effort_nm":`+zeros+`},`+
		`"guard":["clipped_velocity","refused_jump"],"late_ns":-3,"misses":4,"step":5}`,
		string(r.AppendJSON(nil)))

	var out twinrig.Report
	require.NoError(t, json.Unmarshal(r.AppendJSON(nil), &out))
	require.True(t, math.IsNaN(out.State.Effort[twinrig.WristRotate]))
	require.True(t, math.IsNaN(out.State.Measured[5]), "infinity comes back as NaN")
	require.True(t, math.Signbit(out.State.Measured[4]))
}

func TestGapAndEventJSON(t *testing.T) {
	gap := twinrig.Gap{
		Stamp: 1, Step: 2, Joints: twinrig.Joints{3, 4, 5, 6, 7, 8}, Velocity: twinrig.Joints{9, 10, 11, 12, 13, 14},
		Translation: 15, Rotation: 16, Grip: 17, Behind: 18,
	}
	data := gap.AppendJSON(nil)
	require.Equal(t, `{"stamp_ns":1,"step":2,"joints_rad":[3,4,5,6,7,8],"velocity_rad_s":[9,10,11,12,13,14],`+
		`"translation_m":15,"rotation_rad":16,"grip_ratio":17,"behind_ns":18}`, string(data))
	var gapOut twinrig.Gap
	require.NoError(t, json.Unmarshal(data, &gapOut))
	require.Equal(t, gap, gapOut)

	for _, detail := range []string{"", `"quoted" \ back`, "two\nlines\x01", "grüß 机器人", "bad \xff byte"} {
		event := twinrig.Event{Stamp: 1, Kind: "verdict", Trial: "t7", Detail: detail}
		data = event.AppendJSON(nil)
		require.True(t, json.Valid(data), "%s", data)
		var eventOut twinrig.Event
		require.NoError(t, json.Unmarshal(data, &eventOut))
		if detail == "bad \xff byte" {
			event.Detail = "bad \uFFFD byte"
		}
		require.Equal(t, event, eventOut)
	}
}

func TestJSONRefused(t *testing.T) {
	r := distinct(1)
	good := string(r.AppendJSON(nil))
	require.JSONEq(t, good, good)
	for _, tc := range []struct{ in, want string }{
		{`{}`, "report: state.measured_rad: has 0 values, not 6"},
		{`{"guard":["clipped_hair"]}`, `report: guard: no intervention is called "clipped_hair"`},
		{`{"tick":"x"}`, "report: json: cannot unmarshal string"},
	} {
		var out twinrig.Report
		require.ErrorContains(t, json.Unmarshal([]byte(tc.in), &out), tc.want)
		require.Zero(t, out)
	}
	var gap twinrig.Gap
	require.ErrorContains(t, json.Unmarshal([]byte(`{"joints_rad":[1]}`), &gap), "gap: joints_rad: has 1 values, not 6")
}

func TestAppendJSONAllocatesNothing(t *testing.T) {
	r := distinct(3)
	gap, event := twinrig.Gap{Translation: 0.1}, twinrig.Event{Kind: "contact"}
	b := make([]byte, 0, 4096)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		b = r.AppendJSON(b[:0])
		b = gap.AppendJSON(b)
		b = event.AppendJSON(b)
	}))
}

func BenchmarkReportAppendJSON(b *testing.B) {
	r := distinct(3)
	buf := make([]byte, 0, 4096)
	for b.Loop() {
		buf = r.AppendJSON(buf[:0])
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkReportUnmarshal(b *testing.B) {
	r := distinct(3)
	buf := r.AppendJSON(nil)
	for b.Loop() {
		var out twinrig.Report
		if err := json.Unmarshal(buf, &out); err != nil {
			b.Fatal(err)
		}
	}
}
