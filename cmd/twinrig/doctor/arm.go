package doctor

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"twinrig"
	"twinrig/drivers/widowx"
	"twinrig/sim"
)

// What a WidowX's 12 V supply should measure. Below leastVolt an XM430 is out of
// its specification; the other two bounds are where a supply of 12 V is in
// doubt.
const leastVolt, lowVolt, highVolt = 10.0, 11.0, 12.6

// A servo switches off at its own temperature limit. An arm at rest that is as
// near to it as hotMargin will get there within a study.
const hotMargin, warmMargin = 10.0, 20.0

// armChecks are how the arm is and stands.
func armChecks() []check {
	needs, limit := []string{"baud rate"}, time.Second
	return []check{
		{"voltage", needs, limit, checkVoltage},
		{"temperature", needs, limit, checkTemperature},
		{"hardware error", needs, limit, checkHardware},
		{"torque", needs, limit, checkTorque},
		{"homing", needs, limit, checkHoming},
		{"shadow pairs", needs, limit, checkShadows},
		{"pose", []string{"baud rate", "servos", "models"}, 10 * time.Second, checkPose},
		{"cycle rate", []string{"baud rate", "servos"}, 10 * time.Second, checkCycle},
	}
}

// judged is a servo's reading and what it comes to.
type judged struct {
	v     *widowx.Surveyed
	value float64
	worst Verdict
}

// judge has every servo's reading looked at, and returns the range of all, what
// is wrong, and the worst verdict.
func (b *bench) judge(unit string, of func(*widowx.Surveyed) judged) (span, wrong string, worst Verdict) {
	least, most := math.Inf(1), math.Inf(-1)
	worst = OK
	var lines []string
	for _, v := range b.known() {
		j := of(v)
		least, most = min(least, j.value), max(most, j.value)
		if j.worst == OK {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s %.1f %s", v.Name, j.value, unit))
		if worst != Fail {
			worst = j.worst
		}
	}
	return fmt.Sprintf("%.1f to %.1f %s", least, most, unit), list(lines), worst
}

func checkVoltage(_ context.Context, b *bench) Result {
	if len(b.known()) == 0 {
		return nobody()
	}
	low := false
	span, wrong, worst := b.judge("V", func(v *widowx.Surveyed) judged {
		j := judged{v, v.VoltageV, OK}
		switch u := v.VoltageV; {
		case u < max(leastVolt, v.VoltageLimitsV[0]) || u > v.VoltageLimitsV[1]:
			j.worst = Fail
		case u < lowVolt || u > highVolt:
			j.worst = Warn
		}
		low = low || v.VoltageV < lowVolt
		return j
	})
	fix := "use the arm's own 12 V supply: this one gives too much"
	if low {
		fix = "use the arm's own 12 V supply and reseat its plugs; one servo alone means its cable"
	}
	switch worst {
	case Fail:
		return fail(fix, "%s; all: %s", wrong, span)
	case Warn:
		return warn(fix, "%s; all: %s", wrong, span)
	}
	return okay("%s", span)
}

func checkTemperature(_ context.Context, b *bench) Result {
	if len(b.known()) == 0 {
		return nobody()
	}
	span, wrong, worst := b.judge("C", func(v *widowx.Surveyed) judged {
		j := judged{v, v.TemperatureC, OK}
		switch left := v.TemperatureMost - v.TemperatureC; {
		case left <= hotMargin:
			j.worst = Fail
		case left <= warmMargin:
			j.worst = Warn
		}
		return j
	})
	switch worst {
	case Fail:
		return fail("let it cool with the power off: it is about to switch itself off", "%s; all: %s", wrong, span)
	case Warn:
		return warn("let it cool, or plan pauses", "%s; all: %s", wrong, span)
	}
	return okay("%s", span)
}

func checkHardware(_ context.Context, b *bench) Result {
	if len(b.known()) == 0 {
		return nobody()
	}
	if alarms := b.survey.Alarms(); len(alarms) > 0 {
		return fail("find the cause (a jam, heat, the supply), then switch the arm's power off and on: that clears it", "%s", list(alarms))
	}
	return okay("none")
}

func checkTorque(_ context.Context, b *bench) Result {
	known := b.known()
	if len(known) == 0 {
		return nobody()
	}
	var on []string
	for _, v := range known {
		if v.TorqueOn {
			on = append(on, v.Name)
		}
	}
	if len(on) > 0 {
		return warn("nothing, if it should hold: the next start takes torque off, and the arm may sink. By hand: twinrig bus write ID torque_enable 0 --moves --port "+b.rig.Serial.Port,
			"on, though nobody drives the arm: %s", list(on))
	}
	return okay("off")
}

func checkHoming(_ context.Context, b *bench) Result {
	known := b.known()
	if len(known) == 0 {
		return nobody()
	}
	var off []string
	for _, v := range known {
		if v.HomingOffset != 0 {
			off = append(off, fmt.Sprintf("%s %d ticks", v.Name, v.HomingOffset))
		}
	}
	if len(off) > 0 {
		return warn("if the calibration was not made with it: twinrig bus write ID homing_offset 0 --moves --port "+b.rig.Serial.Port+". In position mode such a servo gets no bus watchdog",
			"%s", list(off))
	}
	return okay("no offset; zeros are the calibration's")
}

func checkShadows(_ context.Context, b *bench) Result {
	worst, ok := b.survey.WorstPair()
	if !ok {
		return fail("fix the servos first", "of no joint did both servos answer")
	}
	const deg = 180 / math.Pi
	gap, limit := math.Abs(worst.GapRad)*deg, b.rig.Arm.ShadowToleranceDeg
	what := fmt.Sprintf("%s: servos %d and %d are %.2f deg apart, limit %g", twinrig.AxisNames[worst.Axis], worst.IDs[0], worst.IDs[1], gap, limit)
	if gap > limit {
		return fail("compare their homing_offset and drive_mode (`twinrig bus read ID homing_offset drive_mode`), then how their horns are mounted: they would fight", "%s", what)
	}
	return okay("%s", what)
}

// poseSlack is how far, in rad, outside its limits a joint may rest; poseDepth
// is how far, in m, the model's shapes overlap in the arm's sleep pose.
const poseSlack, poseDepth = 0.1, 0.010

// checkPose asks whether the arm can stand as its servos say.
func checkPose(_ context.Context, b *bench) Result {
	if !b.survey.PoseKnown {
		return fail("fix the servos first", "a joint's servo did not answer")
	}
	const fix = "move the arm by hand to its sleep pose; if it is there already, its zeros are wrong: calibrate them"
	q := b.survey.Pose
	loose := twinrig.PositionLimits
	for i := range loose.Lower {
		loose.Lower[i] -= poseSlack
		loose.Upper[i] += poseSlack
	}
	if err := loose.Check(q); err != nil {
		return fail(fix, "%v", err)
	}
	var angles []string
	for _, a := range q {
		angles = append(angles, fmt.Sprintf("%.1f", a*180/math.Pi))
	}
	pose := strings.Join(angles, " ") + " deg"
	if err := b.host.openMuJoCo(); err != nil {
		return warn("fix MuJoCo", "%s; not checked against the table: no MuJoCo", pose)
	}
	space, err := sim.NewClearance(sim.NominalParams(), poseDepth)
	if err != nil {
		return fail("run `make setup`", "%v", err)
	}
	defer space.Close()
	if err := space.Clear(q, b.survey.Grip); err != nil {
		return fail(fix, "%s: %v", pose, err)
	}
	return okay("%s", pose)
}
