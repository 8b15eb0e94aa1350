package main

import (
	"bufio"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/eval"
)

// A paced study through a real pty, a real HTTP camera and a real broker, with
// mosquitto's own client watching.
func TestPacedStudyIsWatchedByMosquitto(t *testing.T) {
	d := small(t, "hold")
	d.Study.Timeout = 3 * time.Second
	dir := filepath.Join(t.TempDir(), "study")
	var seen, film watcher
	var out strings.Builder
	stderr := &lines{each: func(line string) {
		if args, ok := strings.CutPrefix(line, "watch it live: mosquitto_sub "); ok {
			seen.start(t, args)
			port, _, _ := strings.Cut(args, " -v")
			film.start(t, port+" -F %t -t twinrig/virtual/camera/#")
		}
	}}
	require.NoError(t, demo(context.Background(), d, demoFlags{out: dir}, &out, stderr))
	topics := seen.stop(t)
	require.Greater(t, film.stop(t)["twinrig/virtual/camera/jpeg"], 5)
	for _, topic := range []string{
		"status", "state", "servo/1", "servo/9", "mirror/gap", "trial/events", "trial/result", "study/progress",
	} {
		require.Positive(t, topics["twinrig/virtual/"+topic], topic)
	}
	require.Contains(t, out.String(), "VIRTUAL")
	require.Contains(t, out.String(), "the wire model allows")
	results := resultsOf(t, dir)
	require.Len(t, results, 1)
	require.Equal(t, eval.Timeout, results[0].Termination)
	require.Greater(t, results[0].Loop.Ticks, 300)
}

func resultsOf(t *testing.T, dir string) []eval.Result {
	t.Helper()
	l, err := eval.OpenLedger(dir)
	require.NoError(t, err)
	defer l.Close()
	results, err := l.Results()
	require.NoError(t, err)
	return results
}

// watcher is mosquitto_sub, counting messages by topic.
type watcher struct {
	cmd    *exec.Cmd
	ended  chan struct{}
	topics map[string]int
}

func (w *watcher) start(t *testing.T, args string) {
	t.Helper()
	argv := strings.Fields(strings.ReplaceAll(args, "'", ""))
	w.cmd = exec.Command("mosquitto_sub", argv...)
	out, err := w.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, w.cmd.Start(), "mosquitto_sub is part of the set-up")
	w.ended, w.topics = make(chan struct{}), map[string]int{}
	go func() {
		defer close(w.ended)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			topic, _, _ := strings.Cut(sc.Text(), " ")
			w.topics[topic]++
		}
	}()
}

func (w *watcher) stop(t *testing.T) map[string]int {
	t.Helper()
	require.NotNil(t, w.cmd, "the demo said how to watch it")
	require.NoError(t, w.cmd.Process.Kill())
	<-w.ended
	_ = w.cmd.Wait() // killed, as wanted
	return w.topics
}

// lines calls each for every whole line written.
type lines struct {
	each func(string)
	mu   sync.Mutex
	rest string
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest += string(b)
	for {
		line, rest, ok := strings.Cut(l.rest, "\n")
		if !ok {
			return len(b), nil
		}
		l.rest = rest
		l.each(line)
	}
}
