package sim

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// BenchmarkInverseBesideKDL solves 10,000 poses, made by forward kinematics within the
// limits, from two kinds of seed, and has Orocos KDL (Debian's liborocos-kdl-dev) solve
// the same from the same. The limits are 99.9 % solved and a median of 10 µs near a
// seed; they are printed, not asserted.
func BenchmarkInverseBesideKDL(b *testing.B) {
	peer := filepath.Join(b.TempDir(), "kdl_inverse")
	if out, err := exec.Command("g++", "-O2", "-I/usr/include/eigen3", "-o", peer, filepath.Join("testdata", "kdl_inverse.cpp"), "-lorocos-kdl").CombinedOutput(); err != nil {
		b.Skipf("KDL does not compile here (apt install liborocos-kdl-dev): %v: %.200s", err, out)
	}
	for _, from := range []string{"near", "home"} {
		b.Run(from, func(b *testing.B) { besideKDL(b, peer, from == "near") })
	}
}

func besideKDL(b *testing.B, peer string, near bool) {
	const spread = 0.3
	k := NewKinematics()
	// Control asks near a seed and must not fold the arm over; a plan from home may.
	solve, n, peers := k.Inverse, 10_000, 10_000
	if !near { // KDL takes milliseconds for many of these
		solve, peers = k.Solve, 2000
	}
	rng := rand.New(rand.NewPCG(2, 0))
	var in strings.Builder
	for i, j := range chain {
		fmt.Fprintln(&in, j.origin[0], j.origin[1], j.origin[2], j.axis, twinrig.PositionLimits.Lower[i], twinrig.PositionLimits.Upper[i])
	}
	fmt.Fprintln(&in, pinchX, peers)
	took := make([]float64, n)
	solved := 0
	for i := range n {
		q := randomJoints(rng, 1)
		var seed twinrig.Joints // home
		if near {
			for j := range seed {
				seed[j] = q[j] + spread*(2*rng.Float64()-1)
			}
			seed = twinrig.PositionLimits.Clamp(seed)
		}
		x := k.Forward(q)
		begun := time.Now()
		got, err := solve(x, seed)
		took[i] = float64(time.Since(begun))
		dist, angle := k.Forward(got).Gap(x)
		if err == nil && dist < 1e-6 && angle < 1e-6 && twinrig.PositionLimits.Check(got) == nil {
			solved++
		}
		if i >= peers {
			continue
		}
		for _, v := range seed {
			fmt.Fprint(&in, v, " ")
		}
		m := x.R.Matrix()
		fmt.Fprintln(&in, x.P[0], x.P[1], x.P[2], m[0][0], m[0][1], m[0][2], m[1][0], m[1][1], m[1][2], m[2][0], m[2][1], m[2][2])
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op") // there is no op
	b.ReportMetric(100*float64(solved)/float64(n), "solved-%")
	b.ReportMetric(took[n/2], "median-ns")
	cmd := exec.Command(peer)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	require.NoError(b, err)
	for line := range strings.Lines(string(out)) {
		var name string
		var good int
		var median, p99 float64
		_, err := fmt.Sscan(line, &name, &good, &median, &p99)
		require.NoError(b, err, line)
		b.ReportMetric(100*float64(good)/float64(peers), "KDL-"+name+"-solved-%")
		b.ReportMetric(median, "KDL-"+name+"-median-ns")
	}
}
