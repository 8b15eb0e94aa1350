package mirror_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/sim"
	"twinrig/sim/mirror"
)

// fromBridge reads a raw segment by the data set's convention: Euler angles of
// R times the transpose of the hand-down rotation, fingers from 10 to 35 mm,
// and deltas about world axes through E, applied to the target before.
func fromBridge(raw mirror.BridgeSegment) mirror.Segment {
	handDown := twinrig.QuatFromMatrix([3][3]float64{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}})
	grip := func(v float64) twinrig.Grip { return twinrig.GripFromFinger(0.010 + 0.025*v) }
	seg := mirror.Segment{ID: raw.ID, Hz: raw.Hz}
	for _, s := range raw.State {
		seg.States = append(seg.States, mirror.Waypoint{
			EE: twinrig.Pose{
				R: twinrig.QuatFromRPY(s[3], s[4], s[5]).Mul(handDown),
				P: twinrig.Vec3{s[0], s[1], s[2]},
			},
			Grip: grip(s[6]),
		})
	}
	target := seg.States[0].EE
	for _, a := range raw.Action {
		target.P = target.P.Add(twinrig.Vec3{a[0], a[1], a[2]})
		target.R = twinrig.QuatFromRPY(a[3], a[4], a[5]).Mul(target.R).Normalized()
		seg.Targets = append(seg.Targets, mirror.Waypoint{EE: target, Grip: grip(a[6])})
	}
	return seg
}

func replayBridge(t testing.TB, cfg mirror.ReplayConfig, mode twinrig.Mode) ([]mirror.Replayed, mirror.Pooled) {
	t.Helper()
	raw, err := mirror.ReadBridge(mirror.RecordedSegments(t))
	require.NoError(t, err)
	r, err := mirror.NewReplayer(cfg, mirror.Twin{
		Spec: sim.Spec{Params: sim.NominalParams()}, Arm: sim.DefaultArmConfig(mode), Gains: gains(),
	})
	require.NoError(t, err)
	defer r.Close()
	var all []mirror.Replayed
	for _, s := range raw {
		out, err := r.Replay(fromBridge(s))
		require.NoError(t, err)
		all = append(all, out)
	}
	p, err := mirror.Pool(all)
	require.NoError(t, err)
	return all, p
}

// The Bridge robots' recorded actions lead the mirror along what they recorded.
// Nothing of the mirror is fitted to them: the bounds are what the nominal
// virtual arm does, and a little more. An arm that stood still would be 43 mm
// off, one that stood on each target at once 11.6 mm.
func TestReplayBridge(t *testing.T) {
	for _, c := range []struct {
		mode     twinrig.Mode
		position float64 // RMS, m
		rotation float64 // RMS, rad
	}{
		{twinrig.ModePosition, 0.0110, 0.037},
		{twinrig.ModeTorque, 0.0120, 0.047},
	} {
		t.Run(c.mode.String(), func(t *testing.T) {
			all, p := replayBridge(t, mirror.DefaultReplayConfig(), c.mode)
			t.Logf("virtual, %s: %+v", c.mode, p)
			require.Len(t, all, 15)
			require.Equal(t, 135, p.Steps)
			require.Zero(t, p.Unreachable)
			require.Less(t, p.Position.RMS, c.position)
			require.Less(t, p.Rotation.RMS, c.rotation)
			require.InDelta(t, 0.0435, p.Hold, 0.0001)
			require.Equal(t, 103, p.Free)
			require.Less(t, p.GripFree.RMS, 0.02, "0.44 mm of one finger's travel")

			again, _ := replayBridge(t, mirror.DefaultReplayConfig(), c.mode)
			require.Equal(t, all, again, "the same segments give the same gaps")
		})
	}
}

// Actions are aligned with states as the data set says: applied one step
// earlier or later, the mirror would follow worse.
func TestReplayBridgeAlignment(t *testing.T) {
	raw, err := mirror.ReadBridge(mirror.RecordedSegments(t))
	require.NoError(t, err)
	r, err := mirror.NewReplayer(mirror.DefaultReplayConfig(), mirror.Twin{
		Spec: sim.Spec{Params: sim.NominalParams()}, Arm: sim.DefaultArmConfig(twinrig.ModePosition),
	})
	require.NoError(t, err)
	defer r.Close()
	rms := map[int]float64{}
	for _, shift := range []int{-1, 0, 1} {
		var all []mirror.Replayed
		for _, s := range raw {
			seg := fromBridge(s)
			moved := append([]mirror.Waypoint(nil), seg.Targets...)
			for i := range moved {
				moved[i] = seg.Targets[min(max(i-shift, 0), len(moved)-1)]
			}
			seg.Targets = moved
			out, err := r.Replay(seg)
			require.NoError(t, err)
			all = append(all, out)
		}
		p, err := mirror.Pool(all)
		require.NoError(t, err)
		t.Logf("virtual, actions %+d steps: position RMS %.1f mm, least at a lag of %v", shift, 1e3*p.Position.RMS, p.Lag.Delay)
		rms[shift] = p.Position.RMS
	}
	require.Less(t, rms[0], rms[-1])
	require.Less(t, rms[0], rms[1])
}
