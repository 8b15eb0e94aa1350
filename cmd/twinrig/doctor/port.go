package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/serial"
	"twinrig/drivers/widowx"
)

func portChecks() []check {
	return []check{
		{name: "calibration", limit: 5 * time.Second, run: checkCalibration},
		{name: "port", limit: 5 * time.Second, run: checkPort},
		{name: "permission", needs: []string{"port"}, limit: time.Second, run: checkPermission},
		{name: "port free", needs: []string{"permission"}, limit: 5 * time.Second, run: checkFree},
		{name: "latency timer", needs: []string{"port free"}, limit: time.Second, run: checkLatency},
		{name: "baud rate", needs: []string{"port free", "calibration"}, limit: 30 * time.Second, run: checkBaud},
	}
}

func checkCalibration(_ context.Context, b *bench) Result {
	cal, err := b.rig.Calibration()
	if err != nil {
		return fail("correct the file, or the rig's key calib", "%v", err)
	}
	b.cal = cal
	if b.rig.Calib == "" {
		return okay("nominal: nothing measured on this arm")
	}
	return okay("%s of %s", b.rig.Calib, cal.Date)
}

func checkPort(_ context.Context, b *bench) Result {
	path := b.rig.Serial.Port
	info, err := b.host.inspect(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fail(plugIn(path, b.host.ports()), "%s does not exist", path)
	case errors.Is(err, unix.ENOTTY):
		return fail("set serial.port to the adapter's tty", "%s is not a tty", path)
	case err != nil:
		return fail(plugIn(path, b.host.ports()), "%v", err)
	}
	b.info = info
	what := path
	if info.Device != path {
		what += " -> " + info.Device
	}
	if u := info.USB; u != nil {
		what += ", " + strings.TrimSpace(fmt.Sprintf("%s %s", u.Name, u.ID()))
		if u.Serial != "" {
			what += " serial " + u.Serial
		}
	}
	if info.Stable {
		return okay("%s", what)
	}
	fix := "set serial.port: " + ruled + " and install the udev rule: " + serial.UdevCure
	if len(info.Names) > 0 {
		fix = "set serial.port: " + info.Names[0]
	}
	return warn(fix, "%s; another adapter may get this name after a replug", what)
}

// ruled is the name that the udev rule gives the adapter.
const ruled = "/dev/ttyDXL"

// plugIn is what to do about a port that is not there, while others are.
func plugIn(path string, others []string) string {
	fix := "plug the adapter in (there is no serial adapter) and power the arm"
	if len(others) > 0 {
		fix = "plug the adapter in, or set serial.port to one that is there: " + strings.Join(others, ", ")
	}
	if path == ruled {
		fix += "; that name comes from the udev rule: " + serial.UdevCure
	}
	return fix
}

// serialPorts lists the adapters that are there, by stable names if they have
// any.
func serialPorts() []string {
	for _, pattern := range []string{"/dev/serial/by-id/*", "/dev/tty[UA][SC][BM]*"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 { // the pattern is right
			return found
		}
	}
	return nil
}

func checkPermission(_ context.Context, b *bench) Result {
	i := &b.info
	if i.Readable && i.Writable {
		return okay("may be read and written")
	}
	return fail(fmt.Sprintf("sudo usermod -aG %s $USER, then log in again; or install the udev rule: %s", i.Group, serial.UdevCure),
		"%s is %v of group %s: you may not read and write it", i.Device, i.Mode.Perm(), i.Group)
}

// checkFree refuses a bus that somebody else is on, and opens it otherwise.
func checkFree(_ context.Context, b *bench) Result {
	users := b.info.Users
	if k := slices.IndexFunc(users, func(u serial.User) bool { return u.Locked }); k >= 0 {
		return inUse(users[k])
	}
	cfg := b.rig.Bus
	p, err := b.host.openPort(b.rig.Serial)
	switch {
	case errors.Is(err, serial.ErrBusy):
		return fail("stop the other program first: fuser -v "+b.info.Device, "another process drives the arm")
	case err != nil:
		return fail("replug the adapter, then run it again", "%v", err)
	}
	if err := b.onClose(p.Close); err != nil {
		return fail("run it again", "%v", err)
	}
	// With the adapter as it is, so that a slow one leaves the servos to be seen.
	if latency, known := p.LatencyTimer(); known {
		cfg.Latency = max(cfg.Latency, latency)
	}
	b.port, b.bus = p, dynamixel.NewBus(p, cfg)
	if len(users) > 0 && !strings.HasPrefix(b.info.Device, "/dev/pts/") {
		return warn(fmt.Sprintf("if that talks to the servos, stop it first: kill %d", users[0].PID), "also open in %s", users[0])
	}
	return okay("nobody else drives the arm")
}

func inUse(u serial.User) Result {
	who := "another program"
	if u.Command == "twinrig" {
		who = "another twinrig"
	}
	return fail(fmt.Sprintf("stop it first (it parks the arm): kill -INT %d", u.PID), "%s drives the arm: %s", who, u)
}

func checkLatency(_ context.Context, b *bench) Result {
	have, known := b.port.LatencyTimer()
	switch want := b.rig.Bus.Latency; {
	case !known && b.info.USB == nil:
		return okay("none: the port is no USB adapter")
	case !known && b.info.LowLatencyKnown && b.info.LowLatency:
		return okay("the driver has no timer; low latency is set")
	case !known:
		return warn("watch the cycle rate below", "not known: the adapter's driver has no timer")
	case have > want:
		return fail(fmt.Sprintf("install the udev rule: %s; or until the next replug: echo %d | sudo tee /sys/bus/usb-serial/devices/%s/latency_timer",
			serial.UdevCure, max(1, want.Milliseconds()), filepath.Base(b.info.Device)),
			"%v, bus.latency wants %v: every reading waits that long", have, want)
	default:
		return okay("%v", have)
	}
}

// checkBaud looks who answers, and if nobody does, at which rate somebody would.
func checkBaud(_ context.Context, b *bench) Result {
	baud := b.rig.Serial.Baud
	s, err := widowx.Look(b.bus, b.cal.Arm)
	if err != nil {
		return fail("check plug and cable of the adapter, then run it again", "%v", err)
	}
	b.survey = s
	if n := answered(&s); n > 0 {
		return okay("%d bit/s, %d servos answer", baud, n)
	}
	if err := b.port.Close(); err != nil {
		return fail("run it again", "%v", err)
	}
	for _, other := range serial.Bauds {
		if other == baud {
			continue
		}
		found, err := b.tryBaud(other)
		if err != nil {
			return fail("check plug and cable of the adapter, then run it again", "%v", err)
		}
		if found > 0 {
			return fail(fmt.Sprintf("set serial.baud and bus.baud to %d", other),
				"nobody answers at %d bit/s, but %d servos at %d", baud, found, other)
		}
	}
	return fail("switch the arm's power on, and check the cable from the adapter to the arm",
		"no servo answers, at any of %v bit/s", serial.Bauds)
}

// answered counts the servos that are there, known or not.
func answered(s *widowx.Survey) int {
	n := len(s.Strangers)
	for i := range s.Servos {
		if s.Servos[i].Model != 0 {
			n++
		}
	}
	return n
}

// tryBaud returns how many servos answer at another rate.
func (b *bench) tryBaud(baud int) (n int, err error) {
	bus, p, err := b.openBus(baud)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	found, err := bus.PingAll()
	return len(found), err
}
