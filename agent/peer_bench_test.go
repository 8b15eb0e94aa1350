package agent

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// Lateness beside cyclictest's: each runs some seconds in turn at the same period,
// priority and load, so that the machine's mood meets both.
const (
	peerRounds   = 5
	peerTicks    = 1200
	peerPriority = 40
	busyLoops    = 2
)

// litter makes garbage as a camera, a recorder and a web server do: pictures of a
// megabyte some hundred times a second, and small things with pointers.
func litter() (stop func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		var keep [64]any
		for n := 0; ; n++ {
			select {
			case <-quit:
				return
			default:
			}
			keep[n%len(keep)] = make([]byte, 1<<20)
			tree := map[int]*[]int{}
			for i := range 500 {
				tree[i] = &[]int{i, n}
			}
			keep[(n+1)%len(keep)] = tree
			time.Sleep(2 * time.Millisecond)
		}
	}()
	return func() { close(quit); <-gone }
}

// BenchmarkLateness compares the loop's lateness with that of a C program that does
// nothing else (rt-tests' cyclictest): on an idle machine, with both cores busy, and
// with garbage to collect in this process. The limits are p99 1.5 times the peer's and p50
// 100 µs; they are printed, not asserted: this machine is not the robot's.
func BenchmarkLateness(b *testing.B) {
	if _, err := exec.LookPath("cyclictest"); err != nil {
		b.Skip("cyclictest is missing: apt install rt-tests")
	}
	for _, load := range []string{"idle", "loaded", "garbage"} {
		b.Run(load, func(b *testing.B) {
			switch load {
			case "loaded":
				defer burn(b)()
			case "garbage":
				defer litter()()
			}
			var ours, theirs Lateness
			var ratios []float64
			for range peerRounds {
				mine, peer := ourLateness(b), cyclictest(b)
				ratios = append(ratios, mine.Quantile(0.99).Seconds()/peer.Quantile(0.99).Seconds())
				ours.merge(mine)
				theirs.merge(peer)
			}
			slices.Sort(ratios)
			us := func(d time.Duration) float64 { return d.Seconds() * 1e6 }
			b.ReportMetric(0, "ns/op") // there is no op
			b.ReportMetric(us(ours.Quantile(0.5)), "p50-us")
			b.ReportMetric(us(ours.Quantile(0.99)), "p99-us")
			b.ReportMetric(us(theirs.Quantile(0.5)), "cyclictest-p50-us")
			b.ReportMetric(us(theirs.Quantile(0.99)), "cyclictest-p99-us")
			b.ReportMetric(ratios[peerRounds/2], "median-p99-ratio")
		})
	}
}

func (l *Lateness) merge(o *Lateness) {
	l.n += o.n
	l.longest = max(l.longest, o.longest)
	for i, n := range o.buckets {
		l.buckets[i] += n
	}
}

// ourLateness runs the loop in torque mode on an arm that costs nothing.
func ourLateness(b *testing.B) *Lateness {
	clk, err := OpenClock()
	require.NoError(b, err)
	l := newLoop(b, newArm(twinrig.ModePosition), twinrig.ModePosition, func(c *Config) {
		c.Stop.Hold, c.Stop.Limit = 0, time.Second
	})
	late := &Lateness{}
	r := NewRunner(l, Realtime{Clock: clk})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		LockThread(peerPriority)
		done <- r.Serve(ctx)
	}()
	_, err = r.Run(ctx, Hold{}, func(rep *twinrig.Report) bool {
		late.Add(rep.Late)
		return rep.Tick >= peerTicks
	}, time.Minute)
	require.NoError(b, err)
	cancel()
	require.NoError(b, <-done)
	return late
}

// cyclictest runs the peer and reads its histogram, in whole microseconds.
func cyclictest(b *testing.B) *Lateness {
	cfg := DefaultConfig()
	out, err := exec.Command("cyclictest", "-q", "-t1", fmt.Sprintf("-p%d", peerPriority),
		fmt.Sprintf("-i%d", cfg.Period().Microseconds()), fmt.Sprintf("-l%d", peerTicks), "-h50000").Output()
	require.NoError(b, err)
	late := &Lateness{}
	lines := bufio.NewScanner(strings.NewReader(string(out)))
	for lines.Scan() {
		var us, n int
		if k, _ := fmt.Sscanf(lines.Text(), "%d %d", &us, &n); k == 2 {
			for range n {
				late.Add(time.Duration(us) * time.Microsecond)
			}
		}
	}
	require.Positive(b, late.N(), "%s", out)
	return late
}

// burn keeps the cores busy until it is told to stop.
func burn(b *testing.B) (stop func()) {
	var loops []*exec.Cmd
	for range busyLoops {
		c := exec.Command("sh", "-c", "while :; do :; done")
		require.NoError(b, c.Start())
		loops = append(loops, c)
	}
	return func() {
		for _, c := range loops {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}
}
