package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/widowx"
)

// servoChecks are whether the bus carries the servos of the calibration, set up
// as the driver needs them. They judge what the baud rate's check has read.
func servoChecks() []check {
	needs, limit := []string{"baud rate"}, time.Second
	return []check{
		{"servos", needs, limit, checkServos},
		{"models", needs, limit, checkModels},
		{"firmware", needs, limit, checkFirmware},
		{"return delay", needs, limit, checkReturnDelay},
		{"EEPROM", needs, limit, checkEEPROM},
	}
}

func checkServos(_ context.Context, b *bench) Result {
	var wrong []string
	for i := range b.survey.Servos {
		if v := &b.survey.Servos[i]; v.Err != nil {
			wrong = append(wrong, missing(v))
		}
	}
	silent := len(wrong)
	for _, f := range b.survey.Strangers {
		wrong = append(wrong, fmt.Sprintf("id %d (model %d) is not in the calibration", f.ID, f.Model))
	}
	switch {
	case silent > 0 && len(b.survey.Strangers) > 0:
		return fail("a servo may have another's ID: `twinrig bus scan --port "+b.rig.Serial.Port+"` tells who is there", "%s", list(wrong))
	case silent > 0:
		return fail("reseat the cable in front of the first that is missing; two servos with one ID silence each other too", "%s", list(wrong))
	case len(wrong) > 0:
		return fail("take it off the bus, or name the calibration of this arm as calib in the rig file", "%s", list(wrong))
	}
	return okay("%d of %d answer, no other", len(b.survey.Servos), len(b.survey.Servos))
}

// missing is in a few words why a servo could not be looked at.
func missing(v *widowx.Surveyed) string {
	if v.Model == 0 {
		return v.Name + " does not answer"
	}
	return v.Err.Error()
}

// known lists the servos whose readings hold.
func (b *bench) known() []*widowx.Surveyed {
	var k []*widowx.Surveyed
	for i := range b.survey.Servos {
		if v := &b.survey.Servos[i]; v.Err == nil && v.Model == v.Want {
			k = append(k, v)
		}
	}
	return k
}

// nobody is what a check says that has no servo to look at.
func nobody() Result {
	return fail("fix the servos and models first", "no servo of this arm could be read")
}

func checkModels(_ context.Context, b *bench) Result {
	var wrong []string
	have := map[string]int{}
	for i := range b.survey.Servos {
		switch v := &b.survey.Servos[i]; {
		case v.Model == v.Want:
			have[v.WantModel]++
		case v.Model != 0:
			wrong = append(wrong, fmt.Sprintf("%s is %s, should be %s", v.Name, modelName(v.Model), v.WantModel))
		}
	}
	if len(wrong) > 0 {
		return fail("swap the servo, or correct its model in the calibration", "%s", list(wrong))
	}
	if len(have) == 0 {
		return nobody()
	}
	var counts []string
	for name, n := range have {
		counts = append(counts, fmt.Sprintf("%d %s", n, name))
	}
	slices.Sort(counts)
	return okay("%s", strings.Join(counts, ", "))
}

func modelName(number uint16) string {
	for _, m := range []*dynamixel.Model{&dynamixel.XM430W350, &dynamixel.XL430W250} {
		if m.Number == number {
			return m.Name
		}
	}
	return fmt.Sprintf("model number %d", number)
}

func checkFirmware(_ context.Context, b *bench) Result {
	known := b.known()
	if len(known) == 0 {
		return nobody()
	}
	const update = "update the servo's firmware with Dynamixel Wizard"
	least, most := known[0].Firmware, known[0].Firmware
	var wrong []string
	all := widowx.Survey{}
	for _, v := range known {
		all.Servos = append(all.Servos, *v)
		least, most = min(least, v.Firmware), max(most, v.Firmware)
		// All else being equal, a servo fits if its firmware does.
		one := widowx.Survey{Servos: []widowx.Surveyed{*v}}
		if err := one.Misfits(&b.rig.Arm); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	versions := fmt.Sprintf("version %d to %d", least, most)
	if least == most {
		versions = fmt.Sprintf("version %d", least)
	}
	switch {
	case len(wrong) > 0:
		return fail(update+", or set arm.watchdog: 0s", "%s", list(wrong))
	case b.rig.Arm.FastSync && !all.FastSync():
		return warn(update+" for a faster cycle", "%s: Fast Sync Read is not known to all, Sync Read is used", versions)
	}
	return okay("%s", versions)
}

func checkReturnDelay(_ context.Context, b *bench) Result {
	known := b.known()
	if len(known) == 0 {
		return nobody()
	}
	var slow []string
	for _, v := range known {
		if v.ReturnDelayUs > 0 {
			slow = append(slow, fmt.Sprintf("%s waits %.0f us", v.Name, v.ReturnDelayUs))
		}
	}
	if len(slow) == 0 {
		return okay("0 us")
	}
	return b.permanent(slow, dynamixel.ReturnDelayTime.Name)
}

// checkEEPROM is about all permanent settings but the return delay, which has a
// check of its own.
func checkEEPROM(_ context.Context, b *bench) Result {
	known := b.known()
	if len(known) == 0 {
		return nobody()
	}
	var diff []string
	register := ""
	for _, v := range known {
		for _, d := range v.Differences {
			if d.Register != dynamixel.ReturnDelayTime.Name {
				diff = append(diff, v.Name+": "+d.String())
				register = d.Register
			}
		}
	}
	if len(diff) == 0 {
		return okay("as the driver needs it")
	}
	return b.permanent(diff, register)
}

// permanent judges permanent settings that differ: bringing the arm up refuses
// them, or changes them if it may.
func (b *bench) permanent(diff []string, register string) Result {
	if b.rig.Arm.WriteEEPROM {
		return warn("nothing: arm.write_eeprom is true, the next start changes it for good", "%s", list(diff))
	}
	return fail(fmt.Sprintf("set arm.write_eeprom: true for one start, or by hand: twinrig bus write ID %s VALUE --port %s", register, b.rig.Serial.Port),
		"%s", list(diff))
}
