package policy

import (
	"sync/atomic"
	"time"
)

// Executor runs one job at a time for a Broker.
type Executor interface {
	// Go starts job at time now. It may be called again only after Done.
	Go(now time.Duration, job func())
	// Done tells whether the last job's result is there at time now.
	Done(now time.Duration) bool
	// Close waits for a running job.
	Close()
}

// Async runs jobs on a goroutine of its own: the executor of real time.
type Async struct {
	jobs chan func()
	idle chan struct{}
	done atomic.Bool
}

// NewAsync starts the goroutine; Close ends it.
func NewAsync() *Async {
	a := &Async{jobs: make(chan func(), 1), idle: make(chan struct{})}
	go func() {
		defer close(a.idle)
		for job := range a.jobs {
			job()
			a.done.Store(true)
		}
	}()
	return a
}

// Go implements Executor; it neither waits nor allocates.
func (a *Async) Go(_ time.Duration, job func()) {
	a.done.Store(false)
	a.jobs <- job
}

// Done implements Executor.
func (a *Async) Done(time.Duration) bool { return a.done.Load() }

// Close implements Executor.
func (a *Async) Close() {
	close(a.jobs)
	<-a.idle
}

// Inline runs each job inside Go and lets its result be there a simulated delay
// later: the executor of virtual lockstep time.
type Inline struct {
	delay func() time.Duration
	ready time.Duration
}

// NewInline takes the simulated inference delay, asked for once a job.
func NewInline(delay func() time.Duration) *Inline { return &Inline{delay: delay} }

// Go implements Executor.
func (i *Inline) Go(now time.Duration, job func()) {
	job()
	i.ready = now + i.delay()
}

// Done implements Executor.
func (i *Inline) Done(now time.Duration) bool { return now >= i.ready }

// Close implements Executor.
func (i *Inline) Close() {}
