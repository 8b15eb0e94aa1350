package doctor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"twinrig"
	"twinrig/agent"
	"twinrig/sim"
	"twinrig/sim/mujoco"
)

func machineChecks() []check {
	return []check{
		{name: "MuJoCo", limit: 20 * time.Second, run: checkMuJoCo},
		{name: "disk space", limit: 5 * time.Second, run: checkSpace},
		{name: "disk sync", limit: 30 * time.Second, run: checkSync},
		{name: "real time", limit: 5 * time.Second, run: checkRealtime},
		{name: "clock", limit: 10 * time.Second, run: checkClock},
		{name: "system time", limit: time.Second, run: checkSystemTime},
	}
}

// checkMuJoCo lets the simulated arm fall for a second, as the mirror will step
// it.
func checkMuJoCo(ctx context.Context, b *bench) Result {
	const fix = "run `make setup`, or set MUJOCO_DIR to a directory that holds MuJoCo"
	if err := b.host.openMuJoCo(); err != nil {
		return fail(fix, "%s", strings.TrimSuffix(err.Error(), "; "+fix))
	}
	w, err := sim.NewWorld(sim.Spec{Params: sim.NominalParams()})
	if err != nil {
		return fail(fix, "%v", err)
	}
	defer w.Close()
	arm, err := sim.NewArm(w, sim.DefaultArmConfig(b.rig.Arm.ArmMode()))
	if err != nil {
		return fail(fix, "%v", err)
	}
	speed, err := b.speed(ctx, arm)
	if err != nil {
		return fail(fix, "%v", err)
	}
	what := fmt.Sprintf("%s, simulates %.0f times as fast as real time", mujoco.Version(), speed)
	if speed < 3 {
		return warn("stop other programs: the mirror will fall behind", "%s", what)
	}
	return okay("%s", what)
}

// Disk space below which a study should not begin, and may end early. A trial of
// a minute with its pictures is 4 to 15 MB.
const leastFree, lowFree = 1 << 30, 10 << 30

func checkSpace(_ context.Context, b *bench) Result {
	dir := existing(b.studies)
	free, err := b.host.free(dir)
	if err != nil {
		return fail("choose another place with --studies DIR", "%v", err)
	}
	what := fmt.Sprintf("%.1f GB free in %s", float64(free)/(1<<30), dir)
	fix := "delete what is not needed (`du -xh " + dir + " | sort -h | tail`), or choose another place with --studies DIR"
	switch {
	case free < leastFree:
		return fail(fix, "%s, a study needs %d GB", what, leastFree>>30)
	case free < lowFree:
		return warn(fix, "%s", what)
	}
	return okay("%s", what)
}

// What a disk may take to have a chunk of a log. Beyond the first the recorder's
// queue is used, beyond the second frames are dropped from it.
const slowSync, slowestSync = 100 * time.Millisecond, time.Second

func checkSync(_ context.Context, b *bench) Result {
	dir := existing(b.studies)
	took, err := b.host.sync(dir, 20)
	if err != nil {
		return fail("make it writable and not full, or choose another place with --studies DIR", "%v", err)
	}
	most := took[len(took)-1]
	what := fmt.Sprintf("128 kB are safe after %s (p50), %s (most)", ms(took[len(took)/2]), ms(most))
	const fix = "put studies on a disk of this machine, no network share and no SD card: --studies DIR"
	switch {
	case most > slowestSync:
		return fail(fix, "%s", what)
	case most > slowSync:
		return warn(fix, "%s", what)
	}
	return okay("%s", what)
}

// checkRealtime warns only: without it, ticks are late more often.
func checkRealtime(_ context.Context, b *bench) Result {
	g := b.host.realtime()
	var fixes []string
	if g.FIFO != nil {
		fixes = append(fixes, "sudo setcap cap_sys_nice,cap_ipc_lock+ep $(readlink -f $(command -v twinrig))")
	}
	if g.Memory != nil {
		fixes = append(fixes, "in the shell that starts the study: sudo prlimit --pid $$ --memlock=unlimited:unlimited")
	}
	if len(fixes) > 0 {
		return warn(strings.Join(fixes, "; "), "%s", g)
	}
	return okay("%s", g)
}

// What a wait of a millisecond may be late by.
const lateWait = time.Millisecond

// checkClock waits for instants a millisecond apart, as the loop does.
func checkClock(_ context.Context, b *bench) Result {
	var res unix.Timespec
	if err := unix.ClockGetres(unix.CLOCK_MONOTONIC, &res); err != nil {
		return fail("use a kernel with high resolution timers", "%v", err)
	}
	p50, p99 := b.lateness(200)
	what := fmt.Sprintf("resolution %d ns, source %s; a wait is late by %.0f us (p50), %.0f us (p99)",
		res.Nano(), clockSource(), 1e6*p50.Seconds(), 1e6*p99.Seconds())
	switch {
	case res.Nano() > int64(time.Millisecond):
		return fail("use a kernel with high resolution timers", "%s", what)
	case p50 < 0:
		return fail("use another clock source (/sys/devices/system/clocksource/clocksource0)", "%s: it goes backwards", what)
	case p99 > lateWait:
		return warn("stop other programs, allow real time", "%s", what)
	}
	return okay("%s", what)
}

// clockSource is what the kernel keeps time by.
func clockSource() string {
	text, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

// wallClock is what the kernel knows of the time of day.
type wallClock struct {
	now     time.Time
	synced  bool
	error   time.Duration // the most that it may be off, if synced
	program time.Time     // when this program was written to disk
}

func readWallClock() (wallClock, error) {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	if err != nil {
		return wallClock{}, fmt.Errorf("adjtimex: %w", err)
	}
	w := wallClock{now: time.Now(), synced: state != unix.TIME_ERROR && t.Status&unix.STA_UNSYNC == 0}
	w.error = time.Duration(t.Maxerror) * time.Microsecond
	exe, err := os.Executable()
	if err != nil {
		return w, err
	}
	info, err := os.Stat(exe)
	if err != nil {
		return w, err
	}
	w.program = info.ModTime()
	return w, nil
}

func checkSystemTime(_ context.Context, b *bench) Result {
	const fix = "sudo timedatectl set-ntp true"
	w, err := b.host.wallClock()
	if err != nil {
		return warn(fix, "%v", err)
	}
	now := w.now.UTC().Format("2006-01-02 15:04 UTC")
	switch {
	case w.now.Before(w.program.Add(-24 * time.Hour)):
		return fail(fix+"; or sudo date -s '2030-01-31 12:00'", "%s is before this program was made: a study's dates would be wrong", now)
	case !w.synced:
		return warn(fix, "%s, not synchronised", now)
	}
	return okay("%s, synchronised to %.0f ms", now, 1000*w.error.Seconds())
}

// lateness is how late n waits end that are due a millisecond apart.
func (b *bench) lateness(n int) (p50, p99 time.Duration) {
	late := make(chan []time.Duration)
	go func() {
		agent.LockThread(priority)
		late <- waits(agent.Realtime{Clock: b.clock}, n)
	}()
	all := <-late
	return all[len(all)/2], all[len(all)*99/100]
}

// waits is how late each of n waits ended, the least first.
func waits(p agent.Realtime, n int) []time.Duration {
	var late []time.Duration
	due := p.Clock.Now()
	for range n {
		due += time.Millisecond
		now := p.WaitUntil(due)
		late = append(late, now-due)
		due = max(due, now)
	}
	slices.Sort(late)
	return late
}

// speed is how much faster than real time the arm is simulated.
func (b *bench) speed(ctx context.Context, arm *sim.Arm) (float64, error) {
	const simulated, step = time.Second, 10 * time.Millisecond
	var s twinrig.State
	begin := b.clock.Now()
	for t := step; t <= simulated; t += step {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := arm.Read(t, &s); err != nil {
			return 0, err
		}
	}
	return simulated.Seconds() / (b.clock.Now() - begin).Seconds(), nil
}
