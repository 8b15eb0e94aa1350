package eval

import (
	"math"
	"slices"

	"twinrig"
	"twinrig/eval/stats"
)

// DivergenceMM is the distance between the two end effectors from which on
// mirror and arm are said to have diverged.
const DivergenceMM = 20.0

// gripMM is the opening between the fingers of Grip 1 over that of Grip 0.
const gripMM = 2 * (twinrig.FingerOpen - twinrig.FingerClosed) * 1000

// Curve is one trial's end effector gap over time, as plotted and pooled.
type Curve struct {
	// Trial is the trial's id.
	Trial string
	// T is s after the first compared step, EEMM the distance in mm. Both have
	// one value per control step.
	T, EEMM []float64
}

// CurveOf takes the curve from a trial's gaps.
func CurveOf(trial string, gaps []twinrig.Gap) Curve {
	c := Curve{Trial: trial}
	for i := range gaps {
		c.T = append(c.T, (gaps[i].Stamp - gaps[0].Stamp).Seconds())
		c.EEMM = append(c.EEMM, gaps[i].Translation*1000)
	}
	return c
}

// GapOf sums up a trial's gaps; nil when there are none.
func GapOf(gaps []twinrig.Gap) *Gap {
	if len(gaps) == 0 {
		return nil
	}
	ee := CurveOf("", gaps)
	g := &Gap{Steps: len(gaps), EE: Histogram{}}
	var rot, grip stats.Pool
	var pos, vel [twinrig.NumJoints]stats.Pool
	for i := range gaps {
		g.EE.Add(ee.EEMM[i])
		rot.Add(gaps[i].Rotation, 1)
		grip.Add(float64(gaps[i].Grip), 1)
		for j := range twinrig.NumJoints {
			pos[j].Add(gaps[i].Joints[j], 1)
			vel[j].Add(gaps[i].Velocity[j], 1)
		}
		if g.Divergence == nil && ee.EEMM[i] > DivergenceMM {
			g.Divergence = &ee.T[i]
		}
	}
	for j := range twinrig.NumJoints {
		g.JointRMS[j], _ = pos[j].RMS()
		g.JointVelRMS[j], _ = vel[j].RMS()
	}
	rotRMS, _ := rot.RMS()
	gripRMS, _ := grip.RMS()
	g.EERotRMSDeg, g.GripRMSMM = rotRMS*180/math.Pi, gripRMS*gripMM
	g.EERMSMM, _ = stats.RMS(ee.EEMM)
	g.EEP95MM, _ = stats.Percentile(ee.EEMM, 0.95)
	g.EEMaxMM = slices.Max(ee.EEMM)
	return g
}

// GapPool is the gap over all control steps of several trials.
type GapPool struct {
	Trials, Steps int
	// The end effector's distance (RMS and largest), the hand's true angle and
	// the gripper's opening.
	EERMSMM, EEMaxMM, EERotRMSDeg, GripRMSMM float64
	// EEP95MM is exact where every trial's curve is known, else within half a
	// percent by the trials' histograms; nil where one has neither.
	EEP95MM *float64
	// JointRMS is in rad, JointVelRMS in rad/s; AllJointsRMS is JointRMS over
	// all joints.
	JointRMS, JointVelRMS twinrig.Joints
	AllJointsRMS          float64
	// Diverged counts the trials that were ever more than DivergenceMM apart,
	// FirstDivergence is the median of their first times in s, nil for none.
	Diverged        stats.Rate
	FirstDivergence *float64
}

// poolGaps pools the trials that have a gap. The 95th percentile is of all
// control steps, which the trials' own 95th percentiles do not tell.
func poolGaps(results []Result, curves map[string]Curve) GapPool {
	var p GapPool
	var ee, rot, grip, all stats.Pool
	var pos, vel [twinrig.NumJoints]stats.Pool
	var steps, firsts []float64
	curved, counted, bins := true, true, Histogram{}
	for i := range results {
		g := results[i].Gap
		if g == nil {
			continue
		}
		p.Trials++
		p.Steps += g.Steps
		ee.Add(g.EERMSMM, g.Steps)
		rot.Add(g.EERotRMSDeg, g.Steps)
		grip.Add(g.GripRMSMM, g.Steps)
		for j := range twinrig.NumJoints {
			pos[j].Add(g.JointRMS[j], g.Steps)
			vel[j].Add(g.JointVelRMS[j], g.Steps)
			all.Add(g.JointRMS[j], g.Steps)
		}
		p.EEMaxMM = max(p.EEMaxMM, g.EEMaxMM)
		p.Diverged.Count(g.Divergence != nil)
		if g.Divergence != nil {
			firsts = append(firsts, *g.Divergence)
		}
		c, ok := curves[results[i].Trial.ID]
		curved = curved && ok
		steps = append(steps, c.EEMM...)
		counted = counted && g.EE != nil
		bins.Merge(g.EE)
	}
	p.EERMSMM, _ = ee.RMS()
	p.EERotRMSDeg, _ = rot.RMS()
	p.GripRMSMM, _ = grip.RMS()
	p.AllJointsRMS, _ = all.RMS()
	for j := range twinrig.NumJoints {
		p.JointRMS[j], _ = pos[j].RMS()
		p.JointVelRMS[j], _ = vel[j].RMS()
	}
	if p95, ok := stats.Percentile(steps, 0.95); ok && curved {
		p.EEP95MM = &p95
	} else if p95, ok := bins.Percentile(0.95); ok && counted {
		p.EEP95MM = &p95
	}
	if first, ok := stats.Percentile(firsts, 0.5); ok {
		p.FirstDivergence = &first
	}
	return p
}
