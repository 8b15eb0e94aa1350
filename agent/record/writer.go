package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"twinrig"
)

// Writer records one trial. Its Put methods copy what they are given, may be
// called from any goroutine, and, unless Synchronous, never wait for the disk:
// a goroutine of the Writer's own encodes and writes.
type Writer struct {
	cfg  Config
	disk *os.File

	ticks  *queue[twinrig.Report]
	gaps   *queue[twinrig.Gap]
	events *queue[twinrig.Event]
	frames *queue[view]
	wake   chan struct{}
	done   chan struct{}
	ended  chan struct{}

	mu      sync.Mutex // of all below, which only the goroutine uses unless Synchronous
	file    *file
	stats   Stats
	last    time.Duration // stamp of the newest tick
	servos  servoLog
	told    uint64 // dropped messages that an event has told
	err     error  // the first one
	broken  bool   // the file takes no more
	scratch scratch

	closing sync.Once
}

// view is one camera's picture.
type view struct {
	camera string
	frame  twinrig.Frame
}

// scratch is where the goroutine takes messages to.
type scratch struct {
	tick  twinrig.Report
	gap   twinrig.Gap
	event twinrig.Event
	view  view
}

func copyView(dst, src *view) {
	rgb := append(dst.frame.RGB[:0], src.frame.RGB...)
	*dst = *src
	dst.frame.RGB = rgb
}

// Create begins the recording at path, making its folder where needed. It
// never overwrites: errors.Is(err, fs.ErrExist) when there is one already.
func Create(path string, h Header, cfg Config) (*Writer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	disk, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	f, err := newFile(disk, &h, &cfg)
	if err != nil {
		disk.Close()
		return nil, fmt.Errorf("record: %s: %w", path, err)
	}
	w := &Writer{
		cfg:    cfg,
		disk:   disk,
		file:   f,
		ticks:  newQueue(cfg.Ticks, assign[twinrig.Report]),
		gaps:   newQueue(cfg.Others, assign[twinrig.Gap]),
		events: newQueue(cfg.Others, assign[twinrig.Event]),
		frames: newQueue(cfg.Frames, copyView),
		wake:   make(chan struct{}, 1),
		done:   make(chan struct{}),
		ended:  make(chan struct{}),
	}
	if cfg.Synchronous {
		close(w.ended)
	} else {
		go w.run()
	}
	return w, nil
}

// Put records a tick.
func (w *Writer) Put(r *twinrig.Report) { put(w, w.ticks, r, (*Writer).writeTick) }

// PutGap records a gap.
func (w *Writer) PutGap(g *twinrig.Gap) { put(w, w.gaps, g, (*Writer).writeGap) }

// PutEvent records an event.
func (w *Writer) PutEvent(e *twinrig.Event) { put(w, w.events, e, (*Writer).writeEvent) }

// PutFrame records a camera's picture as JPEG. The name becomes the topic's.
func (w *Writer) PutFrame(camera string, f *twinrig.Frame) {
	put(w, w.frames, &view{camera, *f}, (*Writer).writeView)
}

// put writes v now or queues it.
func put[T any](w *Writer, q *queue[T], v *T, write func(*Writer, *T)) {
	if w.cfg.Synchronous {
		w.mu.Lock()
		defer w.mu.Unlock()
		write(w, v)
		return
	}
	q.put(v)
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Stats counts what has been written and dropped so far.
func (w *Writer) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.statsLocked()
}

func (w *Writer) statsLocked() Stats {
	s := w.stats
	s.DroppedTicks, s.DroppedGaps = w.ticks.lost(), w.gaps.lost()
	s.DroppedEvents, s.DroppedFrames = w.events.lost(), w.frames.lost()
	return s
}

// Err is the first error of the recording. After an error of the disk nothing
// more is written. Stats and Err may wait for the disk.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close writes what is queued, the summary and the index, and syncs the file
// to the disk. It returns the first error of the recording. A Put after Close
// is ignored.
func (w *Writer) Close() error {
	w.closing.Do(func() {
		close(w.done)
		<-w.ended
		w.mu.Lock()
		defer w.mu.Unlock()
		w.drain()
		if !w.broken {
			w.keep(w.file.end(w.statsLocked()))
		}
		w.keep(w.disk.Sync())
		w.keep(w.disk.Close())
		w.broken = true
	})
	return w.Err()
}

// run writes what is queued, until Close.
func (w *Writer) run() {
	defer close(w.ended)
	for {
		select {
		case <-w.done:
			return
		case <-w.wake:
			w.mu.Lock()
			w.drain()
			w.mu.Unlock()
		}
	}
}

// drain writes all that is queued, ticks first: their queue fills fastest.
func (w *Writer) drain() {
	for {
		s, more := &w.scratch, false
		for w.ticks.take(&s.tick) {
			w.writeTick(&s.tick)
			more = true
		}
		if w.gaps.take(&s.gap) {
			w.writeGap(&s.gap)
			more = true
		}
		if w.events.take(&s.event) {
			w.writeEvent(&s.event)
			more = true
		}
		if w.frames.take(&s.view) {
			w.writeView(&s.view)
			more = true
		}
		if !more {
			break
		}
	}
	w.tellDropped()
}

// tellDropped writes an event when messages have been dropped since the last.
func (w *Writer) tellDropped() {
	s := w.statsLocked()
	if s.Dropped() == w.told {
		return
	}
	w.told = s.Dropped()
	w.writeEvent(&twinrig.Event{
		Stamp: w.last,
		Kind:  "record_dropped",
		Detail: fmt.Sprintf("so far: %d ticks, %d gaps, %d events, %d frames",
			s.DroppedTicks, s.DroppedGaps, s.DroppedEvents, s.DroppedFrames),
	})
}

func (w *Writer) writeTick(r *twinrig.Report) {
	w.last = r.Now
	write(w, &w.stats.Ticks, r, (*file).tick)
	if !w.servos.due(&r.State) {
		return
	}
	for i := range r.State.Servos[:r.State.NumServos] {
		write(w, &w.stats.Servos, &r.State.Servos[i], (*file).servo)
	}
}

func (w *Writer) writeGap(g *twinrig.Gap) { write(w, &w.stats.Gaps, g, (*file).gap) }

func (w *Writer) writeEvent(e *twinrig.Event) { write(w, &w.stats.Events, e, (*file).event) }

func (w *Writer) writeView(v *view) { write(w, &w.stats.Frames, v, (*file).frame) }

// write encodes one message, under the lock.
func write[T any](w *Writer, n *uint64, v *T, encode func(*file, *T) error) {
	if w.broken {
		return
	}
	if err := encode(w.file, v); err != nil {
		w.keep(err)
		w.broken = !errors.Is(err, errBadFrame)
		return
	}
	*n++
}

// keep latches the first error.
func (w *Writer) keep(err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("record: %s: %w", w.disk.Name(), err)
	}
}
